import type { SessionStore } from "@trunkline/core";
import { expect, test } from "vitest";
import { createSessions, fileStore, message, newSession, readSession, transcript } from "./fixtures.ts";

const append = (store: SessionStore, session: string, id: string, content?: string) =>
  store.commit({
    at: 1,
    sessions: [{ id: session, append: [{ from: "outside", messages: [message(id, content)] }] }],
  });

async function countingStore(): Promise<{ store: SessionStore; commits(): number }> {
  const statements: string[] = [];
  const { store } = await fileStore({ onStatement: (sql) => void statements.push(sql) });
  await createSessions(store, "a", "b");
  return {
    store,
    commits: () => statements.splice(0).filter((sql) => sql === "commit").length,
  };
}

test("commits that are asked for in one turn share a transaction and keep their order", async () => {
  const { store, commits } = await countingStore();
  commits();
  const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
  const results = await Promise.all(ids.map((id) => append(store, "a", id)));
  expect(commits()).toBeLessThanOrEqual(25);
  expect(results.map((result) => result.committed && result.sessions[0]?.lastSeq)).toEqual(
    ids.map((_, index) => index + 1),
  );
  expect(await transcript(store, "a")).toEqual(ids.map((id, index) => `${index + 1}:${id}`));
});

test("a commit is acknowledged only when it can be read", async () => {
  const { store } = await countingStore();
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await append(store, "a", `m${index}`);
      expect((await readSession(store, "a")).lastSeq).toBeGreaterThan(index);
    }),
  );
});

test("of fifty reservations under a cap of five, five are kept, whatever group they are in", async () => {
  const { store } = await countingStore();
  const counters = [{ scope: "children:a", by: 1, atMost: 5 }];
  const results = await Promise.all(Array.from({ length: 50 }, () => store.commit({ at: 1, counters })));
  expect(results.filter(({ committed }) => committed)).toHaveLength(5);
  expect((await store.read([{ get: "counter", key: "children:a" }]))[0]?.used).toBe(5);
});

test("a write that is refused or fails takes no other with it, and leaves nothing", async () => {
  const { store } = await countingStore();
  const taken = newSession("a");
  const [kept, refused, tooLarge, last] = await Promise.allSettled([
    append(store, "a", "kept"),
    store.commit({ at: 1, sessions: [{ id: "other", create: { ...taken, sessionId: "s2" } }] }),
    append(store, "b", "huge", "x".repeat(16 * 1024 * 1024 + 1)),
    append(store, "b", "last"),
  ]);
  expect(kept).toMatchObject({ value: { committed: true } });
  expect(refused).toMatchObject({ value: { committed: false } });
  expect(tooLarge).toMatchObject({ reason: { code: "store_too_large" } });
  expect(last).toMatchObject({ value: { committed: true } });
  expect([await transcript(store, "a"), await transcript(store, "b")]).toEqual([["1:kept"], ["1:last"]]);
});

test("what was asked for before close is written, what comes after is refused", async () => {
  const { store, path } = await fileStore();
  await createSessions(store, "a");
  const before = append(store, "a", "before");
  await store.close();
  await expect(append(store, "a", "after")).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await before).toMatchObject({ committed: true });
  const { store: again } = await fileStore({ path });
  expect(await transcript(again, "a")).toEqual(["1:before"]);
});
