import type { SessionStore } from "@trunkline/core";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSessions, fileStore, memoryStore, message, run, write } from "./fixtures.ts";

async function oneTurn(store: SessionStore, session: string, id: string): Promise<void> {
  const active = { id, fence: 1 };
  await write(
    store,
    { id: session, append: [{ from: "outside", messages: [message(`in-${id}`)] }], enqueue: [run(id)] },
    { hints: [{ about: "run", id }] },
  );
  await write(
    store,
    { id: session, lane: { take: active }, add: { queuedRuns: -1 } },
    { records: [{ kind: "run", key: id, when: { state: "queued" }, set: { state: "claimed" }, add: { fence: 1 } }] },
  );
  await write(store, { id: session, append: [{ from: "run", messages: [message(`out-${id}`)] }] });
  await write(
    store,
    { id: session, lane: { free: active }, set: { updatedAt: 5 } },
    { records: [{ kind: "run", key: id, set: { state: "ok", endedAt: 5 } }] },
  );
  await store.read([
    { get: "session", key: session },
    { find: "run", index: "sessionState", equals: [session, "ok"], limit: 5 },
  ]);
  await store.listSessions({ scope: { every: true }, archived: false, limit: 10 });
  await store.readMessages({ sessionRow: session, firstSeq: 1, classes: [0, 1], from: "newest", limit: 10 });
}

test("nothing is prepared once the shapes of a turn are known", async () => {
  const store = await memoryStore();
  await createSessions(store, "a", "b");
  await oneTurn(store, "a", "r1");
  const prepare = vi.spyOn(Database.prototype, "prepare");
  onTestFinished(() => prepare.mockRestore());
  await oneTurn(store, "a", "r2");
  await oneTurn(store, "b", "r3");
  expect(prepare).not.toHaveBeenCalled();
});

test("lists, history and claims walk an index without sorting", async () => {
  const { store, path } = await fileStore();
  const prepare = vi.spyOn(Database.prototype, "prepare");
  await createSessions(store, "a");
  await oneTurn(store, "a", "r1");
  await store.listSessions({ scope: { agentIds: ["main"] }, archived: false, limit: 10 });
  await store.listSessions({ scope: { descendantsOf: { id: "a", isRoot: true } }, archived: true, limit: 10 });
  await store.listSessions({
    scope: { every: true },
    archived: false,
    limit: 10,
    after: { listRank: -1, sessionKey: "k" },
  });
  await store.readMessages({ sessionRow: "a", firstSeq: 1, classes: [0], from: "oldest", limit: 10, beyondSeq: 1 });
  const tails = ["a", "b", "c"].map((sessionRow) => ({ sessionRow, firstSeq: 1 }));
  await store.readTails({ sessions: tails, classes: [0], limit: 5 });
  await store.readTails({ sessions: tails, classes: [0, 1], limit: 5 });
  await store.read(tails.map(({ sessionRow }) => ({ get: "session", key: sessionRow }) as const));
  await store.read(
    ["x", "y"].map((key) => ({ find: "message", index: "dedupe", equals: ["a", key], limit: 1 }) as const),
  );
  await store.read([
    { find: "run", index: "deadline", equals: [], from: 0, below: 9, limit: 8 },
    { find: "spawn", index: "requesterRun", equals: ["r1"], limit: 8 },
  ]);
  await store.read([{ find: "run", index: "claimable", equals: ["main", 1], below: 9, limit: 8 }]);
  await store.read([{ find: "delivery", index: "due", equals: ["pending"], below: 9, limit: 8 }]);
  const selects = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith("select"));
  prepare.mockRestore();
  const database = new Database(path);
  for (const sql of selects) {
    const parameters = Array(sql.split("?").length - 1).fill(1);
    const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...parameters);
    for (const { detail } of plan)
      expect([sql, detail]).not.toEqual([sql, expect.stringMatching(/TEMP B-TREE|SCAN (?!CONSTANT|meta|t\d)/)]);
  }
  expect(selects.length).toBeGreaterThan(8);
  database.close();
});
