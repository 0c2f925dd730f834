import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionStore } from "@trunkline/core";
import { expect, test } from "vitest";
import { createSqliteStore } from "../src/index.ts";
import { createSessions, fileStore, readSession, temporaryDirectory } from "./fixtures.ts";
import { startWriter } from "./processes.ts";

async function totals(store: SessionStore, session: string) {
  const query = { sessionRow: session, firstSeq: 1, classes: [0] as const, from: "oldest" as const, limit: 100_000 };
  const { messages } = await store.readMessages(query);
  const usage = await store.sumUsage({ sessionRow: session });
  const [counter] = await store.read([{ get: "counter", key: "acknowledged" }]);
  const { lastSeq } = await readSession(store, session);
  return {
    ids: messages.map((message) => message.id),
    seqs: messages.map((message) => message.seq),
    usage,
    counter,
    lastSeq,
  };
}

test("B125: eight processes that migrate an empty file at once all succeed", async () => {
  const path = join(await temporaryDirectory(), "store.db");
  const writers = Array.from({ length: 8 }, () => startWriter(path, "none", 0));
  for (const writer of writers) expect(await writer.ended).toEqual({ code: 0, errors: "" });
  const store = await createSqliteStore({ path });
  expect(await store.schemaVersion()).toEqual({ current: 1, latest: 1 });
  await store.close();
}, 60_000);

test("B103, B104: four processes that write to one session at once lose nothing, repeat nothing and see no error", async () => {
  const { store, path } = await fileStore();
  await createSessions(store, "s");
  const writers = Array.from({ length: 4 }, () => startWriter(path, "s", 200));
  for (const writer of writers) expect(await writer.ended).toEqual({ code: 0, errors: "" });
  const { ids, seqs, counter } = await totals(store, "s");
  expect(seqs).toEqual(Array.from({ length: 800 }, (_, index) => index + 1));
  expect([...ids].sort()).toEqual(writers.flatMap((writer) => writer.acknowledged).sort());
  expect(counter?.used).toBe(800);
}, 60_000);

test("a killed writer leaves no half transaction and no acknowledged one is missing", async () => {
  const { store, path } = await fileStore();
  await createSessions(store, "s");
  for (let round = 0; round < 3; round++) {
    const writer = startWriter(path, "s", 1_000_000);
    while (writer.acknowledged.length < 50) await sleep(5);
    writer.child.kill("SIGKILL");
    await writer.ended;
    const { ids, usage, counter, lastSeq } = await totals(store, "s");
    const stored = new Set(ids);
    expect(writer.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect([usage.runs, usage.inputTokens, counter?.used, lastSeq]).toEqual(Array(4).fill(ids.length));
  }
}, 60_000);
