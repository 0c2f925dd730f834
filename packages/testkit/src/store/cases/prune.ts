import { deepEqual, equal, ok } from "node:assert/strict";
import type { NewRun, PruneRequest, SessionStore } from "@trunkline/core";
import { deliveryRow, idempotencyRow, newId, runRow, start, watchRow } from "../rows.ts";
import { claimOf, commit, createSession, endOf, get, need, say, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

/** Prunes until nothing is left to do; fails where a batch is larger than its limit. */
async function pruneAll(store: SessionStore, request: PruneRequest): Promise<number> {
  let total = 0;
  for (let round = 0; round < 200; round++) {
    const { removed, more } = await store.prune(request);
    ok(removed <= request.limit, `a batch of ${request.limit} removed ${removed} rows`);
    total += removed;
    if (!more) return total;
  }
  throw new Error("pruning does not end");
}

const event = { kind: "run_completed", actorKind: "system", actorId: null, data: {} } as const;

async function endedRun(store: SessionStore, id: string, endedAt: number, over: Partial<NewRun> = {}): Promise<string> {
  const run = runRow(over);
  await write(store, { id, enqueue: [run] });
  await commit(store, claimOf(id, { id: run.id, fence: 1 }));
  await commit(store, endOf(id, { id: run.id, fence: 1 }));
  await commit(store, { records: [{ kind: "run", key: run.id, set: { endedAt } }] });
  return run.id;
}

export const pruneCases = casesOf("pruning", [
  {
    name: "old events go in batches, the head of each log and its version stay",
    run: async ({ store }) => {
      const id = await createSession(store);
      for (let day = 0; day < 30; day++) await write(store, { id, events: [event] }, start + day);
      const request = { what: "events", before: start + 20, keepPerSession: 1000, limit: 6 } as const;
      const first = await store.prune(request);
      deepEqual([first.removed, first.more], [6, true]);
      equal((await need(store, "session", id)).eventsPrunedTo, 6);
      equal(first.removed + (await pruneAll(store, request)), 20);
      const row = await need(store, "session", id);
      deepEqual([row.stateVersion, row.eventsPrunedTo], [30, 20]);
      const [rows] = await store.read([{ find: "stateEvent", index: "version", equals: [id], limit: 100 }]);
      deepEqual(
        rows.map((one) => one.version),
        Array.from({ length: 10 }, (_value, index) => index + 21),
      );
    },
  },
  {
    name: "events over the number kept for each session go, whatever their age",
    run: async ({ store }) => {
      const [id, other] = [await createSession(store), await createSession(store)];
      await write(store, { id, events: Array.from({ length: 12 }, () => event) });
      await write(store, { id: other, events: Array.from({ length: 4 }, () => event) });
      equal(await pruneAll(store, { what: "events", before: 0, keepPerSession: 5, limit: 100 }), 7);
      deepEqual(
        [(await need(store, "session", id)).eventsPrunedTo, (await need(store, "session", other)).eventsPrunedTo],
        [7, 0],
      );
      await write(store, { id, events: [event] });
      equal((await need(store, "session", id)).stateVersion, 13);
    },
  },
  {
    name: "ended runs of long ago go in batches; younger, queued and active ones stay",
    run: async ({ store }) => {
      const id = await createSession(store);
      const old: string[] = [];
      for (let index = 0; index < 7; index++) old.push(await endedRun(store, id, start - 1000 - index));
      const young = await endedRun(store, id, start);
      const active = runRow();
      await write(store, { id, enqueue: [active] });
      await commit(store, claimOf(id, { id: active.id, fence: 1 }));
      const queued = runRow();
      await write(store, { id, enqueue: [queued] });
      equal(await pruneAll(store, { what: "runs", before: start - 10, limit: 3 }), 7);
      for (const run of old) equal(await get(store, "run", run), undefined);
      for (const run of [young, active.id, queued.id]) ok(await get(store, "run", run), run);
    },
  },
  {
    name: "an ended run that something open refers to stays until that is over",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await endedRun(store, id, start - 1000);
      const delivery = deliveryRow(id, { runId: run });
      await commit(store, { records: [{ kind: "delivery", insert: delivery }] });
      const request = { what: "runs", before: start, limit: 10 } as const;
      await pruneAll(store, request);
      ok(await get(store, "run", run), "a delivery of the run is still pending");
      await commit(store, {
        records: [
          {
            kind: "delivery",
            key: delivery.id,
            set: { state: "delivered", nextAttemptAt: null, endedAt: start - 500 },
          },
        ],
      });
      await pruneAll(store, request);
      equal(await get(store, "run", run), undefined);
    },
  },
  {
    name: "idempotency keys go when they have expired, and not before",
    run: async ({ store }) => {
      const rows = Array.from({ length: 10 }, (_value, index) => idempotencyRow({ expiresAt: start + index }));
      await commit(store, { records: rows.map((insert) => ({ kind: "idempotency", insert })) });
      equal(await pruneAll(store, { what: "idempotency", before: start + 6, limit: 4 }), 6);
      for (const row of rows)
        equal(
          (await get(store, "idempotency", row.scopeHash)) === undefined,
          row.expiresAt < start + 6,
          `${row.expiresAt}`,
        );
    },
  },
  {
    name: "B107: a deleted session goes in batches: transcript, log, watches, and nothing of another session",
    run: async ({ store }) => {
      const [id, other] = [await createSession(store), await createSession(store)];
      for (const one of [id, other]) {
        await say(
          store,
          one,
          Array.from({ length: 40 }, (_value, index) => `m${index}`),
        );
        await write(store, { id: one, events: [event, event] });
      }
      const watch = watchRow(other, id);
      await commit(store, {
        sessions: [{ id, add: { watchCount: 1 } }],
        records: [{ kind: "watch", insert: watch }],
      });
      await write(store, { id, set: { archived: 2, deletedAt: start, sessionKey: `~deleted:${id}` } });
      await pruneAll(store, { what: "session", sessionRow: id, limit: 15 });
      deepEqual(await transcript(store, id), []);
      const [events, watches] = await store.read([
        { find: "stateEvent", index: "version", equals: [id], limit: 5 },
        { find: "watch", index: "target", equals: [id], limit: 5 },
      ]);
      deepEqual([events.length, watches.length], [0, 0]);
      equal(await get(store, "session", id), undefined);
      equal((await transcript(store, other)).length, 40);
      equal((await need(store, "session", other)).stateVersion, 2);
    },
  },
  {
    name: "B107: while a session of 1500 messages is removed, a commit elsewhere waits for a batch and not for the whole",
    timeoutMs: 90_000,
    run: async ({ store, open, capabilities }) => {
      const other = capabilities.shared ? await open() : store;
      const [id, elsewhere] = [await createSession(store), await createSession(store)];
      for (let part = 0; part < 3; part++)
        await say(
          store,
          id,
          Array.from({ length: 500 }, (_value, index) => `message ${part} ${index}`),
        );
      await write(store, { id, set: { archived: 2, deletedAt: start, sessionKey: `~deleted:${id}` } });
      let removing = true;
      const removal = pruneAll(store, { what: "session", sessionRow: id, limit: 50 }).finally(() => {
        removing = false;
      });
      let appends = 0;
      for (; removing; appends++) await say(other, elsewhere, [`${appends}`]);
      ok((await removal) >= 1500, "all of it was removed");
      ok(appends >= 6, `${appends} appends found room between 30 batches`);
      equal((await transcript(store, elsewhere)).length, appends);
    },
  },
  {
    name: "the row of a deleted session stays while a descendant lives, its transcript does not",
    run: async ({ store }) => {
      const id = await createSession(store);
      const child = await createSession(store, { parentId: id });
      await say(store, id, ["text"]);
      await write(store, { id, set: { archived: 2, deletedAt: start, sessionKey: `~deleted:${id}` } });
      await pruneAll(store, { what: "session", sessionRow: id, limit: 10 });
      deepEqual(await transcript(store, id), []);
      ok(await get(store, "session", id), "the child's ancestor is still there");
      const row = await need(store, "session", child);
      deepEqual([row.parentId, row.rootId, row.spawnDepth], [id, id, 1]);
    },
  },
  {
    name: "the end of a descendant's removal does not cut short that of its ancestor",
    run: async ({ store }) => {
      const [id, watcher] = [await createSession(store), await createSession(store)];
      const child = await createSession(store, { parentId: id });
      await commit(store, {
        sessions: [{ id, add: { watchCount: 1 }, events: [event, event] }],
        records: [{ kind: "watch", insert: watchRow(watcher, id) }],
      });
      for (const one of [child, id])
        await write(store, { id: one, set: { archived: 2, deletedAt: start, sessionKey: `~deleted:${one}` } });
      for (const one of [child, id]) await pruneAll(store, { what: "session", sessionRow: one, limit: 15 });
      const [events, watches, epochs] = await store.read([
        { find: "stateEvent", index: "version", equals: [id], limit: 5 },
        { find: "watch", index: "target", equals: [id], limit: 5 },
        { find: "epoch", index: "session", equals: [id], limit: 5 },
      ]);
      deepEqual([events.length, watches.length, epochs.length], [0, 0, 0]);
      equal(await get(store, "session", id), undefined);
    },
  },
  {
    name: "pruning where nothing is old removes nothing",
    run: async ({ store }) => {
      const id = await createSession(store);
      await write(store, { id, events: [event], enqueue: [runRow()] });
      for (const request of [
        { what: "events", before: start, keepPerSession: 10, limit: 10 },
        { what: "runs", before: start, limit: 10 },
        { what: "idempotency", before: start, limit: 10 },
        { what: "session", sessionRow: newId(), limit: 10 },
      ] as const)
        deepEqual(await store.prune(request), { removed: 0, more: false }, request.what);
    },
  },
]);
