import { equal } from "node:assert/strict";
import type { SessionGuard } from "@trunkline/core";
import { newId } from "../rows.ts";
import { claimOf, commit, createSession, digest, need, queue, refuse, write } from "../steps.ts";
import { casesOf, type StoreBench, type StoreCase } from "../store-case.ts";

/** A guard that holds on a new session, and what makes it fail. */
interface GuardCase {
  readonly name: string;
  readonly holds: (row: {
    readonly sessionId: string;
    readonly version: number;
    readonly familyVersion: number;
  }) => SessionGuard;
  readonly spoil: (bench: StoreBench, id: string) => Promise<unknown>;
}

const guards: readonly GuardCase[] = [
  {
    name: "sessionId",
    holds: ({ sessionId }) => ({ sessionId }),
    spoil: ({ store }, id) => write(store, { id, set: { sessionId: newId() } }),
  },
  {
    name: "archived: false",
    holds: () => ({ archived: false }),
    spoil: ({ store }, id) => write(store, { id, set: { archived: 1 } }),
  },
  {
    name: "deleted: false",
    holds: () => ({ deleted: false }),
    spoil: ({ store }, id) => write(store, { id, set: { deletedAt: 1, archived: 2 } }),
  },
  {
    name: "version",
    holds: ({ version }) => ({ version }),
    spoil: ({ store }, id) => write(store, { id, set: { label: "other" } }),
  },
  {
    name: "familyVersion",
    holds: ({ familyVersion }) => ({ familyVersion }),
    spoil: ({ store }, id) => write(store, { id, touchFamily: true }),
  },
  {
    name: "activeRun: null",
    holds: () => ({ activeRun: null }),
    spoil: async ({ store }, id) => {
      const run = await queue(store, id, "hello");
      await commit(store, claimOf(id, { id: run.id, fence: 1 }));
    },
  },
];

const holding: readonly Omit<StoreCase, "subject">[] = guards.map(({ name, holds, spoil }) => ({
  name: `the guard ${name} lets a commit through while it holds, and refuses it after`,
  run: async (bench) => {
    const { store } = bench;
    const id = await createSession(store);
    await write(store, { id, when: holds(await need(store, "session", id)), set: { goal: "first" } });
    const when = holds(await need(store, "session", id));
    await spoil(bench, id);
    const before = await digest(store, [id]);
    await refuse(store, { sessions: [{ id, when, set: { goal: "second" } }] }, `${name} no longer holds`);
    equal(await digest(store, [id]), before);
  },
}));

export const guardCases = casesOf("guards", [
  ...holding,
  {
    name: "the guard activeRun names the run and its fence",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await queue(store, id, "hello");
      const reference = { id: run.id, fence: 1 };
      await refuse(store, { sessions: [{ id, when: { activeRun: reference } }] }, "no run is active yet");
      await commit(store, claimOf(id, reference));
      await write(store, { id, when: { activeRun: reference }, set: { goal: "mine" } });
      await refuse(
        store,
        { sessions: [{ id, when: { activeRun: { ...reference, fence: 2 } } }] },
        "the fence is another",
      );
      await refuse(store, { sessions: [{ id, when: { activeRun: { id: newId(), fence: 1 } } }] }, "the run is another");
    },
  },
  {
    name: "several guards must all hold",
    run: async ({ store }) => {
      const id = await createSession(store);
      const { sessionId, version } = await need(store, "session", id);
      await refuse(store, { sessions: [{ id, when: { sessionId, version: version + 1 } }] }, "one of two guards fails");
      await write(store, { id, when: { sessionId, version, archived: false, deleted: false, activeRun: null } });
    },
  },
  {
    name: "a guard on one session refuses the writes of all others",
    run: async ({ store }) => {
      const ids = [await createSession(store), await createSession(store), await createSession(store)];
      const before = await digest(store, ids);
      for (const failing of ids) {
        const sessions = ids.map((id) => ({
          id,
          set: { label: "no" },
          ...(id === failing && { when: { sessionId: newId() } }),
        }));
        await refuse(store, { sessions }, "the guard of one session fails");
        equal(await digest(store, ids), before);
      }
    },
  },
]);
