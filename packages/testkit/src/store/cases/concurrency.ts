import { deepEqual, equal, ok } from "node:assert/strict";
import type { SessionPatch, SessionStore } from "@trunkline/core";
import { messageRow, newId, runRow, sessionRow, start } from "../rows.ts";
import { claimOf, commit, createSession, get, need, queue, say, texts, transcript, write } from "../steps.ts";
import { casesOf, type StoreBench } from "../store-case.ts";

/** Two handles where the store has them, else the same one twice. */
async function handles({ store, open, capabilities }: StoreBench): Promise<readonly [SessionStore, SessionStore]> {
  return [store, capabilities.shared ? await open() : store];
}

const patches: readonly SessionPatch[] = [
  { label: "l" },
  { displayName: "d" },
  { model: "m" },
  { thinking: "low" },
  { settings: { verboseLevel: "on" } },
  { sandboxed: 1 },
  { route: { channel: "slack", to: "C1" } },
  { origin: { channel: "slack", to: "C2" } },
  { lastChannel: "slack" },
  { lastTo: "C3" },
  { lastAccount: "a" },
  { pinned: 1 },
  { lastHumanAt: 7 },
  { sendPolicy: "deny" },
  { goal: "g" },
  { abortedLastRun: 1 },
  { systemSent: 1 },
  { contextTokens: 9 },
  { channel: "slack" },
  { updatedAt: start + 1 },
];

export const concurrencyCases = casesOf("concurrency", [
  {
    name: "B106: fifty patches of distinct fields at once are all there",
    run: async (bench) => {
      const stores = await handles(bench);
      const ids = [
        await createSession(bench.store),
        await createSession(bench.store),
        await createSession(bench.store),
      ];
      await Promise.all(
        ids
          .flatMap((id) => patches.map((set, index) => ({ id, set, store: stores[index % 2 === 0 ? 0 : 1] })))
          .slice(0, 50)
          .map(({ id, set, store }) => write(store, { id, set })),
      );
      for (const [index, id] of ids.entries()) {
        const row: Record<string, unknown> = { ...(await need(bench.store, "session", id)) };
        for (const patch of patches.slice(0, index === 2 ? 10 : 20))
          for (const [column, value] of Object.entries(patch)) deepEqual(row[column], value, column);
      }
    },
  },
  {
    name: "B106: fifty additions at once give the exact sum, on a session and on a record",
    run: async (bench) => {
      const stores = await handles(bench);
      const id = await createSession(bench.store);
      const key = newId();
      await commit(bench.store, {
        records: [{ kind: "job", insert: { id: key, kind: "unbind", ref: key, dueAt: 0, attempts: 0, owner: null } }],
      });
      await Promise.all(
        Array.from({ length: 50 }, (_value, index) =>
          commit(stores[index % 2 === 0 ? 0 : 1], {
            sessions: [{ id, add: { totalTokens: index } }],
            records: [{ kind: "job", key, add: { attempts: 1 } }],
          }),
        ),
      );
      equal((await need(bench.store, "session", id)).totalTokens, (49 * 50) / 2);
      equal((await need(bench.store, "job", key)).attempts, 50);
    },
  },
  {
    name: "four writers of 250 rows each leave one gapless sequence, each in its own order",
    timeoutMs: 120_000,
    run: async (bench) => {
      const [one, two] = await handles(bench);
      const id = await createSession(one);
      const writer = async (store: SessionStore, name: string) => {
        for (let index = 0; index < 250; index++) await say(store, id, [`${name} ${index}`]);
      };
      await Promise.all([writer(one, "a"), writer(two, "b"), writer(one, "c"), writer(two, "d")]);
      const rows = await transcript(one, id);
      equal(rows.length, 1000);
      deepEqual(
        rows.map((row) => row.seq),
        Array.from({ length: 1000 }, (_value, index) => index + 1),
      );
      for (const name of ["a", "b", "c", "d"]) {
        const own = texts(rows).filter((text) => String(text).startsWith(name));
        deepEqual(
          own,
          Array.from({ length: 250 }, (_value, index) => `${name} ${index}`),
        );
      }
    },
  },
  {
    name: "B108: of eight claimers of one lane one wins",
    run: async (bench) => {
      const stores = await handles(bench);
      const id = await createSession(bench.store);
      const runs = [];
      for (let index = 0; index < 8; index++) runs.push(await queue(bench.store, id, `${index}`));
      const results = await Promise.all(
        runs.map((run, index) =>
          stores[index % 2 === 0 ? 0 : 1].commit({ at: start, ...claimOf(id, { id: run.id, fence: 1 }) }),
        ),
      );
      const winners = runs.filter((_run, index) => results[index]?.committed);
      equal(winners.length, 1);
      equal((await need(bench.store, "session", id)).activeRunId, winners[0]?.id);
      const [claimed] = await bench.store.read([
        { find: "run", index: "sessionState", equals: [id, "claimed"], limit: 10 },
      ]);
      deepEqual(
        claimed.map((run) => run.id),
        winners.map((run) => run.id),
      );
    },
  },
  {
    name: "of twenty reservations under a limit of five, five hold",
    run: async (bench) => {
      const stores = await handles(bench);
      const scope = `children:${newId()}`;
      const results = await Promise.all(
        Array.from({ length: 20 }, (_value, index) =>
          stores[index % 2 === 0 ? 0 : 1].commit({ at: start, counters: [{ scope, by: 1, atMost: 5 }] }),
        ),
      );
      equal(results.filter((result) => result.committed).length, 5);
      equal((await need(bench.store, "counter", scope)).used, 5);
    },
  },
  {
    name: "of six creations of one key one wins, and the losers leave nothing",
    run: async (bench) => {
      const stores = await handles(bench);
      const sessionKey = "agent:main:main";
      const attempts = Array.from({ length: 6 }, () => ({ id: newId(), create: sessionRow({ sessionKey }) }));
      const results = await Promise.all(
        attempts.map((session, index) => stores[index % 2 === 0 ? 0 : 1].commit({ at: start, sessions: [session] })),
      );
      equal(results.filter((result) => result.committed).length, 1);
      const rows = await Promise.all(attempts.map(({ id }) => get(bench.store, "session", id)));
      equal(rows.filter(Boolean).length, 1);
    },
  },
  {
    name: "runs queued at once are numbered without gap, and one of them is claimable",
    run: async (bench) => {
      const stores = await handles(bench);
      const id = await createSession(bench.store);
      await Promise.all(
        Array.from({ length: 30 }, (_value, index) =>
          write(stores[index % 2 === 0 ? 0 : 1], { id, enqueue: [runRow()] }),
        ),
      );
      const [runs] = await bench.store.read([{ find: "run", index: "runNo", equals: [id], limit: 100 }]);
      deepEqual(
        runs.map((run) => run.runNo),
        Array.from({ length: 30 }, (_value, index) => index + 1),
      );
      deepEqual(
        runs.map((run) => run.claimableAt !== null),
        runs.map((_run, index) => index === 0),
      );
      equal((await need(bench.store, "session", id)).queuedRuns, 30);
    },
  },
  {
    name: "a run queued while the lane is freed elsewhere never stays asleep",
    timeoutMs: 60_000,
    run: async (bench) => {
      const [one, two] = await handles(bench);
      for (let round = 0; round < 25; round++) {
        const id = await createSession(one);
        const run = await queue(one, id, "first");
        await commit(one, claimOf(id, { id: run.id, fence: 1 }));
        const next = runRow();
        await Promise.all([
          commit(one, { sessions: [{ id, lane: { free: { id: run.id, fence: 1 } } }] }),
          write(two, { id, enqueue: [next] }),
        ]);
        ok((await need(one, "run", next.id)).claimableAt !== null, `round ${round}: the queued run is claimable`);
      }
    },
  },
  {
    name: "commits over the same sessions in opposite order all hold",
    timeoutMs: 60_000,
    run: async (bench) => {
      const stores = await handles(bench);
      const ids = [
        await createSession(bench.store),
        await createSession(bench.store),
        await createSession(bench.store),
      ];
      await Promise.all(
        Array.from({ length: 60 }, (_value, index) => {
          const order = index % 2 === 0 ? ids : ids.toReversed();
          const sessions = order.map((id) => ({
            id,
            add: { totalTokens: 1 },
            append: [{ from: "outside" as const, messages: [messageRow(`${index}`)] }],
          }));
          return commit(stores[index % 2 === 0 ? 0 : 1], { sessions, counters: [{ scope: "all", by: 1 }] });
        }),
      );
      for (const id of ids) equal((await need(bench.store, "session", id)).totalTokens, 60);
      equal((await need(bench.store, "counter", "all")).used, 60);
    },
  },
  {
    name: "what one handle committed the other one reads",
    requires: "shared",
    run: async ({ store, open }) => {
      const other = await open();
      const id = await createSession(store, { fields: { label: "seen" } });
      equal((await need(other, "session", id)).label, "seen");
      await say(other, id, ["hello"]);
      deepEqual(texts(await transcript(store, id)), ["hello"]);
    },
  },
  {
    name: "one read of several rows sees no half of a commit",
    requires: "snapshots",
    timeoutMs: 60_000,
    run: async ({ store, open, capabilities }) => {
      const writer = capabilities.shared ? await open() : store;
      const [a, b] = [await createSession(store), await createSession(store)];
      let writing = true;
      const writes = (async () => {
        for (let index = 0; index < 200; index++)
          await commit(writer, { sessions: [a, b].map((id) => ({ id, set: { goal: `${index}` } })) });
        writing = false;
      })();
      while (writing) {
        const [one, two] = await store.read([
          { get: "session", key: a },
          { get: "session", key: b },
        ]);
        equal(one?.goal, two?.goal);
        await new Promise(setImmediate);
      }
      await writes;
    },
  },
]);
