import { deepEqual, equal, ok } from "node:assert/strict";
import type { SessionStore, WakeHint } from "@trunkline/core";
import { eventually, pause } from "../../eventually.ts";
import { messageRow, newId } from "../rows.ts";
import { commit, createSession, refuse, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

function listen(store: SessionStore) {
  const heard: WakeHint[] = [];
  const stop = store.subscribe((hints) => heard.push(...hints));
  return { heard, stop, has: (id: string) => heard.some((hint) => hint.id === id) };
}

export const hintCases = casesOf("hints", [
  {
    name: "a commit's hints reach this handle's listeners once it holds",
    run: async ({ store }) => {
      const { heard, stop } = listen(store);
      const hints: readonly WakeHint[] = [
        { about: "run", id: newId() },
        { about: "delivery", id: newId() },
      ];
      await commit(store, { hints });
      await eventually(() => heard.length >= 2, "both hints arrive");
      for (const hint of hints)
        ok(
          heard.some((one) => one.about === hint.about && one.id === hint.id),
          hint.about,
        );
      stop();
    },
  },
  {
    name: "a listener finds what the hint is about",
    run: async ({ store }) => {
      const id = newId();
      const seen: unknown[] = [];
      const stop = store.subscribe((hints) => {
        if (!hints.some((hint) => hint.id === id)) return;
        void store.read([{ get: "counter", key: id }]).then(([row]) => seen.push(row?.used));
      });
      await commit(store, { counters: [{ scope: id, by: 1 }], hints: [{ about: "job", id }] });
      await eventually(() => seen.length > 0, "the hint arrives");
      equal(seen[0], 1);
      stop();
    },
  },
  {
    name: "a refused commit gives no hint",
    run: async ({ store }) => {
      const { heard, has, stop } = listen(store);
      const [refused, held] = [newId(), newId()];
      await refuse(
        store,
        { hints: [{ about: "run", id: refused }], records: [{ kind: "job", key: newId(), remove: true }] },
        "there is no such row",
      );
      await commit(store, { hints: [{ about: "run", id: held }] });
      await eventually(() => has(held), "the later hint arrives");
      ok(!has(refused), JSON.stringify(heard));
      stop();
    },
  },
  {
    name: "a listener that left hears nothing more, and the others go on",
    run: async ({ store }) => {
      const [gone, stays] = [listen(store), listen(store)];
      gone.stop();
      const id = newId();
      await commit(store, { hints: [{ about: "run", id }] });
      await eventually(() => stays.has(id), "the other listener hears it");
      deepEqual(gone.heard, []);
      stays.stop();
    },
  },
  {
    name: "B118: a commit of one handle wakes a listener of the other, a large one too",
    requires: "shared",
    run: async ({ store, open }) => {
      const other = await open();
      const { has, stop } = listen(other);
      const id = await createSession(store);
      const run = newId();
      await commit(store, {
        sessions: [{ id, append: [{ from: "outside", messages: [messageRow("x".repeat(1_000_000))] }] }],
        hints: [{ about: "run", id: run }],
      });
      await eventually(() => has(run), "the other handle hears the hint");
      const many = Array.from({ length: 500 }, () => newId());
      await write(store, { id, set: { label: "a" } });
      await commit(store, { hints: many.map((one) => ({ about: "run" as const, id: one })) });
      await eventually(() => many.every(has), "the other handle hears all of many hints");
      stop();
    },
  },
  {
    name: "B128: hints are heard again after the connections were cut, and the next call works",
    requires: "connections",
    timeoutMs: 60_000,
    run: async ({ store, open, harness }) => {
      const other = await open();
      const { has, stop } = listen(other);
      const before = newId();
      await commit(store, { hints: [{ about: "run", id: before }] });
      await eventually(() => has(before), "hints arrive before the cut");
      await harness.cutConnections?.();
      await pause(200);
      await createSession(store);
      const after: string[] = [];
      for (let attempt = 0; attempt < 20 && !after.some(has); attempt++) {
        const id = newId();
        after.push(id);
        await commit(store, { hints: [{ about: "run", id }] });
        await pause(250);
      }
      ok(after.some(has), "hints arrive after the cut");
      stop();
    },
  },
]);
