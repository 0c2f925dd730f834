import { equal } from "node:assert/strict";
import type { RecordWrite, SessionWrite } from "@trunkline/core";
import { deliveryRow, idempotencyRow, messageRow, newId, runRow, sessionRow, watchRow } from "../rows.ts";
import { claimOf, commit, createSession, digest, get, queue, refuse, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

export const atomicityCases = casesOf("atomicity", [
  {
    name: "a last record that fails leaves nothing of a commit that writes everything",
    run: async ({ store }) => {
      const [target, watcher] = [await createSession(store), await createSession(store)];
      const run = await queue(store, target, "question");
      const watch = watchRow(watcher, target);
      await commit(store, {
        ...claimOf(target, { id: run.id, fence: 1 }),
      });
      await commit(store, {
        sessions: [{ id: target, add: { watchCount: 1 } }],
        records: [{ kind: "watch", insert: watch }],
      });
      const taken = idempotencyRow();
      await commit(store, { records: [{ kind: "idempotency", insert: taken }] });
      const before = await digest(store, [target, watcher]);
      const child = newId();
      const scope = `children:${target}`;
      const sessions: readonly SessionWrite[] = [
        {
          id: target,
          lane: { free: { id: run.id, fence: 1 } },
          set: { goal: "no", pinned: 1 },
          add: { totalTokens: 5 },
          append: [
            { from: "run", messages: [messageRow("no")] },
            { from: "outside", messages: [messageRow("no", { dedupeKey: "d" })] },
          ],
          enqueue: [runRow({ cause: "no" })],
          events: [{ kind: "goal_changed", actorKind: "human", actorId: null, data: {} }],
          touchFamily: true,
        },
        { id: watcher, set: { sessionId: newId() } },
        { id: child, create: sessionRow({ parentId: target }), copy: { fromSession: target, throughSeq: 1 } },
      ];
      const records: readonly RecordWrite[] = [
        { kind: "delivery", insert: deliveryRow(target) },
        { kind: "run", key: run.id, set: { state: "ok" } },
        { kind: "watch", key: watch.id, remove: true },
        { kind: "idempotency", insert: { ...taken } },
      ];
      await refuse(store, { sessions, records, counters: [{ scope, by: 1 }] }, "the last record's key is taken");
      equal(await digest(store, [target, watcher]), before);
      equal(await get(store, "session", child), undefined);
      equal(await get(store, "counter", scope), undefined);
      await commit(
        store,
        { sessions, records: records.slice(0, -1), counters: [{ scope, by: 1 }] },
        "without it all holds",
      );
    },
  },
  {
    name: "nothing stays of a commit whose later message, run or session is refused",
    run: async ({ store }) => {
      const id = await createSession(store);
      const message = messageRow("there");
      const run = runRow();
      await write(store, { id, append: [{ from: "outside", messages: [message] }], enqueue: [run] });
      const before = await digest(store, [id]);
      const other = newId();
      const doubled: readonly SessionWrite[] = [
        { id, append: [{ from: "outside", messages: [messageRow("new"), messageRow("same id", { id: message.id })] }] },
        { id, set: { label: "no" }, enqueue: [runRow(), runRow({ id: run.id })] },
        { id, set: { label: "no" }, events: [], enqueue: [runRow({ cause: run.cause })] },
      ];
      for (const session of doubled) {
        await refuse(store, { sessions: [{ id: other, create: sessionRow() }, session] }, "an id is taken");
        equal(await digest(store, [id]), before);
        equal(await get(store, "session", other), undefined);
      }
    },
  },
  {
    name: "the store works on after a refusal",
    run: async ({ store }) => {
      const id = await createSession(store);
      for (let round = 0; round < 5; round++) {
        await refuse(store, { sessions: [{ id, when: { version: -1 } }] }, "the guard fails");
        await write(store, { id, set: { label: `${round}` } });
      }
    },
  },
  {
    name: "commits made at once are each whole: a refused one among them takes no other with it",
    run: async ({ store }) => {
      const id = await createSession(store);
      const results = await Promise.all(
        Array.from({ length: 40 }, (_value, index) =>
          store.commit({
            at: index,
            sessions: [
              { id, add: { totalTokens: 1 }, append: [{ from: "outside", messages: [messageRow(`m${index}`)] }] },
            ],
            records: index % 4 === 3 ? [{ kind: "delivery", key: newId(), remove: true }] : [],
          }),
        ),
      );
      equal(results.filter((result) => result.committed).length, 30);
      const row = await get(store, "session", id);
      equal(row?.totalTokens, 30);
      equal(row?.lastSeq, 30);
    },
  },
  {
    name: "a commit of nothing is a commit",
    run: async ({ store }) => {
      await commit(store, {});
      await commit(store, { sessions: [], records: [], counters: [], hints: [] });
    },
  },
]);
