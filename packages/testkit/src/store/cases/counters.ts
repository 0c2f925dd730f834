import { deepEqual, equal } from "node:assert/strict";
import { newId } from "../rows.ts";
import { commit, createSession, digest, get, need, refuse } from "../steps.ts";
import { casesOf } from "../store-case.ts";

export const counterCases = casesOf("counters", [
  {
    name: "a counter starts at nothing, moves both ways and is read by its scope",
    run: async ({ store }) => {
      const scope = `lane:${newId()}`;
      equal(await get(store, "counter", scope), undefined);
      await commit(store, { counters: [{ scope, by: 3 }] });
      await commit(store, { counters: [{ scope, by: -1 }] });
      deepEqual(await need(store, "counter", scope), { scope, used: 2 });
    },
  },
  {
    name: "a counter reaches its limit and does not pass it",
    run: async ({ store }) => {
      const scope = `lane:${newId()}`;
      await commit(store, { counters: [{ scope, by: 2, atMost: 3 }] });
      await commit(store, { counters: [{ scope, by: 1, atMost: 3 }] });
      await refuse(store, { counters: [{ scope, by: 1, atMost: 3 }] }, "the limit is reached");
      equal((await need(store, "counter", scope)).used, 3);
      await commit(store, { counters: [{ scope, by: 1 }] }, "no limit was given");
    },
  },
  {
    name: "the first reservation is held to the limit too",
    run: async ({ store }) => {
      const scope = `lane:${newId()}`;
      await refuse(store, { counters: [{ scope, by: 2, atMost: 1 }] }, "two do not fit under one");
      await refuse(store, { counters: [{ scope, by: 1, atMost: 0 }] }, "nothing fits under zero");
    },
  },
  {
    name: "a counter does not fall below zero",
    run: async ({ store }) => {
      const scope = `lane:${newId()}`;
      await refuse(store, { counters: [{ scope, by: -1 }] }, "nothing was counted");
      await commit(store, { counters: [{ scope, by: 1 }] });
      await refuse(store, { counters: [{ scope, by: -2 }] }, "only one was counted");
      await commit(store, { counters: [{ scope, by: -1 }] });
    },
  },
  {
    name: "a limit that does not hold refuses the sessions and records of the commit",
    run: async ({ store }) => {
      const id = await createSession(store);
      const scope = `children:${id}`;
      const before = await digest(store, [id]);
      await refuse(
        store,
        {
          sessions: [{ id, set: { label: "no" } }],
          counters: [
            { scope: `${scope}:other`, by: 1 },
            { scope, by: 1, atMost: 0 },
          ],
        },
        "the limit is reached",
      );
      equal(await digest(store, [id]), before);
      equal(await get(store, "counter", `${scope}:other`), undefined);
    },
  },
  {
    name: "B109, B110: scopes are separate to the byte",
    run: async ({ store }) => {
      for (const scope of ["s:a", "s:A", "s:a "]) await commit(store, { counters: [{ scope, by: 1, atMost: 1 }] });
    },
  },
]);
