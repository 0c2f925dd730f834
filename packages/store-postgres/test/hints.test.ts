import type { SessionStore, WakeHint } from "@trunkline/core";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { append, createSession, message } from "../../testkit/test/server-stores/sessions.ts";
import { hintPayloads, readPayload } from "../src/hint-payload.ts";
import { serverAnswers, type TestDatabase } from "./databases.ts";
import { openStore, testStore } from "./fixtures.ts";

function listen(store: SessionStore): string[] {
  const heard: string[] = [];
  onTestFinished(store.subscribe((hints) => heard.push(...hints.map((hint) => hint.id))));
  return heard;
}

const hint = (id: string): WakeHint => ({ about: "run", id });

async function connections({ run }: TestDatabase, what: string): Promise<number> {
  const [row] = await run(
    "select count(*)::int as found from pg_stat_activity where datname = current_database() and query ilike $1 and pid <> pg_backend_pid()",
    [what],
  );
  return Number(row?.["found"]);
}

test("B118: payloads stay below the server's limit and lose nothing", () => {
  const hints = Array.from({ length: 700 }, (_value, index) => hint(`${index}-${"é".repeat(20)}`));
  const payloads = hintPayloads("me", hints);
  expect(payloads.length).toBeGreaterThan(3);
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
  expect(payloads.flatMap((payload) => readPayload(payload, "another"))).toEqual(hints);
  expect(payloads.flatMap((payload) => readPayload(payload, "me"))).toEqual([]);
});

test("a payload that is not ours is passed over", () => {
  for (const payload of ["", "hello", "{}", "[1", "null", '["x","run"]'])
    expect(readPayload(payload, "me")).toEqual([]);
});

describe.skipIf(!(await serverAnswers()))("hints on PostgreSQL", () => {
  test("a hint is pushed to another handle as soon as its commit holds", async () => {
    const { store, database } = await testStore();
    const heard = listen(await openStore(database));
    await expect.poll(() => connections(database, "listen %"), { timeout: 10_000 }).toBe(1);
    await store.commit({ at: 1, hints: [hint("warm")] });
    await expect.poll(() => heard.includes("warm"), { timeout: 10_000 }).toBe(true);
    const delays: number[] = [];
    for (let number = 0; number < 15; number++) {
      const id = `r${number}`;
      await store.commit({ at: 1, hints: [hint(id)] });
      const committedAt = performance.now();
      while (!heard.includes(id)) await new Promise(setImmediate);
      delays.push(performance.now() - committedAt);
    }
    // The feed alone is looked at once a second.
    expect(delays.toSorted((a, b) => a - b)[7]).toBeLessThan(250);
  });

  test("what was pushed is not given again by the feed, and what was not is", async () => {
    const { store, database } = await testStore();
    const heard = listen(await openStore(database));
    await expect.poll(() => connections(database, "listen %"), { timeout: 10_000 }).toBe(1);
    await store.commit({ at: 1, hints: [hint("pushed")] });
    await expect.poll(() => heard, { timeout: 10_000 }).toContain("pushed");
    await database.run("insert into changes (origin, about, ref, at) values ('elsewhere', 'run', 'unpushed', $1)", [
      Date.now(),
    ]);
    await expect.poll(() => heard, { timeout: 10_000 }).toContain("unpushed");
    expect(heard.filter((id) => id === "pushed").length).toBe(1);
  });

  test("a commit whose number in the feed is lower than one that was read already is heard too", async () => {
    const { store, database } = await testStore({ transactionPooler: true });
    const heard = listen(store);
    await store.commit({ at: 1, hints: [hint("own")] });
    const slow = new Client({ connectionString: database.url });
    await slow.connect();
    await slow.query("begin");
    const insert = "insert into changes (origin, about, ref, at) values ('elsewhere', 'run', $1, $2)";
    await slow.query(insert, ["slow", Date.now()]);
    await database.run(insert, ["fast", Date.now()]);
    await expect.poll(() => heard, { timeout: 10_000 }).toContain("fast");
    await slow.query("commit");
    await slow.end();
    await expect.poll(() => heard, { timeout: 10_000 }).toContain("slow");
  });

  test("B128: behind a transaction pooler there is no LISTEN and no prepared statement, and hints still arrive", async () => {
    const { store, database } = await testStore({ transactionPooler: true });
    expect(store.capabilities.push).toBe(false);
    const other = await openStore(database, { transactionPooler: true });
    const heard = listen(other);
    const statements: string[] = [];
    const query = Client.prototype.query;
    Client.prototype.query = function (this: Client, ...args: readonly unknown[]) {
      statements.push(JSON.stringify(args[0]));
      return Reflect.apply(query, this, args);
    } as typeof query;
    onTestFinished(() => {
      Client.prototype.query = query;
    });
    await createSession(store, "s");
    await append(store, "s", message("m"));
    await store.commit({ at: 1, hints: [hint("r1")] });
    await expect.poll(() => heard, { timeout: 10_000 }).toContain("r1");
    expect(statements.length).toBeGreaterThan(3);
    expect(statements.filter((text) => /"name":|listen |notify|set_config|^"set /i.test(text))).toEqual([]);
  });
});
