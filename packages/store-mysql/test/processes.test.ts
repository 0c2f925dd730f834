import { setTimeout as sleep } from "node:timers/promises";
import type { SessionStore } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { createSession, readSession, transcript } from "../../testkit/test/server-stores/sessions.ts";
import { processStarter } from "../../testkit/test/server-stores/store-processes.ts";
import { createMysqlStore } from "../src/index.ts";
import { answeringServers } from "./databases.ts";
import { testDatabase, testStore } from "./fixtures.ts";

const startProcess = processStarter(import.meta.url);
const ok = { code: 0, errors: "" };

async function numbersOf(store: SessionStore, session: string): Promise<readonly number[]> {
  return (await transcript(store, session)).map((entry) => Number.parseInt(entry, 10));
}

describe.each(await answeringServers())("several processes on one $name database", (server) => {
  test("B125: eight that migrate an empty database at once all succeed", async () => {
    const { url, run } = await testDatabase(server);
    const processes = Array.from({ length: 8 }, () => startProcess(url, "migrate"));
    for (const each of processes) expect(await each.ended).toEqual(ok);
    const store = await createMysqlStore({ url });
    const { current, latest } = await store.schemaVersion();
    await store.close();
    expect(current).toBe(latest);
    expect(await run("select count(*) as versions from meta where name = 'schema_version'")).toEqual([{ versions: 1 }]);
  }, 90_000);

  test("four that append to one session leave one sequence, while others list and patch it", async () => {
    const { store, database } = await testStore(server);
    await createSession(store, "s");
    const lister = startProcess(database.url, "list", "s", 200);
    const patcher = startProcess(database.url, "patch", "s", 200);
    const writers = Array.from({ length: 4 }, () => startProcess(database.url, "append", "s", 250));
    for (const each of [...writers, lister, patcher]) expect(await each.ended).toEqual(ok);
    expect(await numbersOf(store, "s")).toEqual(Array.from({ length: 1000 }, (_value, index) => index + 1));
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    const stored = (await transcript(store, "s")).map((entry) => entry.slice(entry.indexOf(":") + 1));
    expect(stored.toSorted()).toEqual(acknowledged.toSorted());
    expect(await readSession(store, "s")).toMatchObject({ lastSeq: 1000, totalTokens: 1000, goal: "goal 199" });
  }, 120_000);

  test("a killed writer leaves no half transaction and no acknowledged one is missing", async () => {
    const { store, database } = await testStore(server);
    await createSession(store, "s");
    for (let round = 0; round < 3; round++) {
      const writer = startProcess(database.url, "append", "s", 0);
      while (writer.acknowledged.length < 50) await sleep(5);
      writer.child.kill("SIGKILL");
      await writer.ended;
      // The server may still be busy with its last commit.
      await sleep(300);
      const entries = await transcript(store, "s");
      const stored = new Set(entries.map((entry) => entry.slice(entry.indexOf(":") + 1)));
      expect(writer.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      const [counter] = await store.read([{ get: "counter", key: "acknowledged" }]);
      const { lastSeq, totalTokens } = await readSession(store, "s");
      expect([counter?.used, lastSeq, totalTokens]).toEqual(Array(3).fill(entries.length));
    }
  }, 120_000);
});
