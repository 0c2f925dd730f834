import { deepEqual, equal } from "node:assert/strict";
import type { NewStateEvent, StateEventKind } from "@trunkline/core";
import { start, watchRow } from "../rows.ts";
import { commit, createSession, need, refuse, write } from "../steps.ts";
import { casesOf, type StoreBench } from "../store-case.ts";

const event = (kind: StateEventKind, over: Partial<NewStateEvent> = {}): NewStateEvent => ({
  kind,
  actorKind: "human",
  actorId: null,
  data: {},
  ...over,
});

/** A target with one watcher, starting at the target's version. */
async function watched({ store }: StoreBench) {
  const [target, watcher] = [await createSession(store), await createSession(store)];
  await write(store, { id: target, events: [event("created")] });
  const watch = watchRow(watcher, target, { lastSeen: 1, notified: 1, material: 1 });
  await commit(store, {
    sessions: [{ id: target, add: { watchCount: 1 } }],
    records: [{ kind: "watch", insert: watch }],
  });
  const cursor = async () => {
    const row = await need(store, "watch", watch.id);
    return [row.lastSeen, row.notified, row.material, row.isOpen];
  };
  return { target, watcher, watch, cursor };
}

export const eventCases = casesOf("events", [
  {
    name: "events are numbered 1, 2, 3 … in the order given, over commits too",
    run: async ({ store }) => {
      const id = await createSession(store);
      const first = await write(store, { id, events: [event("created"), event("goal_changed")] });
      equal(first.sessions[0]?.stateVersion, 2);
      await write(store, { id, events: [event("run_completed", { data: { outcome: "success" } })] }, start + 7);
      const [rows] = await store.read([{ find: "stateEvent", index: "version", equals: [id], limit: 10 }]);
      deepEqual(
        rows.map((row) => [row.version, row.kind, row.at]),
        [
          [1, "created", start],
          [2, "goal_changed", start],
          [3, "run_completed", start + 7],
        ],
      );
      deepEqual(rows[2]?.data, { outcome: "success" });
      equal((await need(store, "session", id)).stateVersion, 3);
    },
  },
  {
    name: "an event keeps its actor",
    run: async ({ store }) => {
      const id = await createSession(store);
      await write(store, { id, events: [event("archived", { actorKind: "agent", actorId: "agent:main:main" })] });
      const row = await need(store, "stateEvent", `${id}\n1`);
      deepEqual([row.actorKind, row.actorId, row.sessionRow], ["agent", "agent:main:main", id]);
    },
  },
  {
    name: "events are read from a version on, oldest first",
    run: async ({ store }) => {
      const id = await createSession(store);
      await write(store, { id, events: Array.from({ length: 12 }, () => event("run_completed")) });
      const [rows] = await store.read([
        { find: "stateEvent", index: "version", equals: [id], from: 5, below: 11, limit: 4 },
      ]);
      deepEqual(
        rows.map((row) => row.version),
        [5, 6, 7, 8],
      );
    },
  },
  {
    name: "a refused commit uses up no version",
    run: async ({ store }) => {
      const id = await createSession(store);
      await refuse(store, { sessions: [{ id, when: { version: -1 }, events: [event("created")] }] }, "the guard fails");
      const result = await write(store, { id, events: [event("created")] });
      equal(result.sessions[0]?.stateVersion, 1);
    },
  },
  {
    name: "a notifying event opens the watch at its version",
    run: async (bench) => {
      const { target, cursor } = await watched(bench);
      await write(bench.store, { id: target, events: [event("goal_changed")] });
      deepEqual(await cursor(), [1, 2, 2, 1]);
    },
  },
  {
    name: "while a notice is open, further events move only what it is about",
    run: async (bench) => {
      const { target, cursor } = await watched(bench);
      await write(bench.store, { id: target, events: [event("human_direct_message")] });
      await write(bench.store, { id: target, events: [event("goal_changed"), event("human_direct_message")] });
      deepEqual(await cursor(), [1, 2, 4, 1]);
    },
  },
  {
    name: "other kinds of events move no watch",
    run: async (bench) => {
      const { target, cursor } = await watched(bench);
      const kinds: readonly StateEventKind[] = [
        "run_completed",
        "run_failed",
        "child_spawned",
        "reset",
        "archived",
        "compacted",
      ];
      await write(bench.store, { id: target, events: kinds.map((kind) => event(kind)) });
      deepEqual(await cursor(), [1, 1, 1, 0]);
    },
  },
  {
    name: "a watcher's own change moves the watches of all others and not its own",
    run: async (bench) => {
      const { store } = bench;
      const { target, watcher, cursor } = await watched(bench);
      const third = await createSession(store);
      const other = watchRow(third, target, { lastSeen: 1, notified: 1, material: 1 });
      await commit(store, {
        sessions: [{ id: target, add: { watchCount: 1 } }],
        records: [{ kind: "watch", insert: other }],
      });
      await write(store, { id: target, events: [event("goal_changed", { actorRow: watcher })] });
      deepEqual(await cursor(), [1, 1, 1, 0]);
      const row = await need(store, "watch", other.id);
      deepEqual([row.notified, row.material, row.isOpen], [2, 2, 1]);
    },
  },
  {
    name: "watches of other targets do not move",
    run: async (bench) => {
      const { store } = bench;
      const { watcher, cursor } = await watched(bench);
      const elsewhere = await createSession(store);
      await commit(store, {
        sessions: [{ id: elsewhere, add: { watchCount: 1 } }],
        records: [{ kind: "watch", insert: watchRow(watcher, elsewhere) }],
      });
      await write(store, { id: elsewhere, events: [event("goal_changed")] });
      deepEqual(await cursor(), [1, 1, 1, 0]);
    },
  },
  {
    name: "one watcher watches one target once",
    run: async (bench) => {
      const { target, watcher } = await watched(bench);
      await refuse(
        bench.store,
        { records: [{ kind: "watch", insert: watchRow(watcher, target) }] },
        "the watch exists",
      );
    },
  },
  {
    name: "the open notices of a watcher are found without the closed ones",
    run: async (bench) => {
      const { target, watcher, watch } = await watched(bench);
      const open = () => bench.store.read([{ find: "watch", index: "open", equals: [watcher, 1], limit: 10 }]);
      equal((await open())[0].length, 0);
      await write(bench.store, { id: target, events: [event("goal_changed")] });
      deepEqual(
        (await open())[0].map((row) => row.id),
        [watch.id],
      );
    },
  },
]);
