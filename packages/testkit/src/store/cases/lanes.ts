import { deepEqual, equal } from "node:assert/strict";
import { messageRow, newId, runRow, start } from "../rows.ts";
import { claimOf, commit, createSession, digest, endOf, need, queue, refuse, startRun, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

export const laneCases = casesOf("lanes", [
  {
    name: "the first run of an idle session is claimable at the commit's time, the next ones are not",
    run: async ({ store }) => {
      const id = await createSession(store);
      const first = await queue(store, id, "one", {}, start + 1);
      const second = await queue(store, id, "two", {}, start + 2);
      equal((await need(store, "run", first.id)).claimableAt, start + 1);
      equal((await need(store, "run", second.id)).claimableAt, null);
      equal((await need(store, "session", id)).queuedRuns, 2);
    },
  },
  {
    name: "the commit that makes a run claimable says so, any other says null",
    run: async ({ store }) => {
      const id = await createSession(store);
      const [one, two] = [runRow(), runRow()];
      const first = await write(store, { id, enqueue: [one] });
      equal(first.sessions[0]?.claimableRunId, one.id);
      equal(first.sessions[0]?.lastRunNo, 1);
      const second = await write(store, { id, enqueue: [two] });
      equal(second.sessions[0]?.claimableRunId, null);
      equal(second.sessions[0]?.lastRunNo, 2);
    },
  },
  {
    name: "runs are numbered in the order of their commits and, inside one, of the list",
    run: async ({ store }) => {
      const id = await createSession(store);
      const runs = [runRow(), runRow(), runRow(), runRow()];
      await write(store, { id, enqueue: runs.slice(0, 3) });
      await write(store, { id, enqueue: runs.slice(3) });
      const [rows] = await store.read([{ find: "run", index: "runNo", equals: [id], limit: 10 }]);
      deepEqual(
        rows.map((row) => row.id),
        runs.map((run) => run.id),
      );
      deepEqual(
        rows.map((row) => row.runNo),
        [1, 2, 3, 4],
      );
    },
  },
  {
    name: "a lane is taken once",
    run: async ({ store }) => {
      const id = await createSession(store);
      const [first, second] = [await queue(store, id, "one"), await queue(store, id, "two")];
      await commit(store, claimOf(id, { id: first.id, fence: 1 }));
      const row = await need(store, "session", id);
      deepEqual([row.activeRunId, row.activeFence, row.queuedRuns], [first.id, 1, 1]);
      const before = await digest(store, [id]);
      await refuse(store, claimOf(id, { id: second.id, fence: 1 }), "another run has the lane");
      await refuse(store, claimOf(id, { id: first.id, fence: 1 }), "the run has the lane already");
      equal(await digest(store, [id]), before);
    },
  },
  {
    name: "a lane is freed by the run that has it, under its fence, and by no other",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await queue(store, id, "one");
      const free = (reference: { readonly id: string; readonly fence: number }) => ({
        sessions: [{ id, lane: { free: reference } }],
      });
      await refuse(store, free({ id: run.id, fence: 1 }), "the lane is free");
      await commit(store, claimOf(id, { id: run.id, fence: 1 }));
      await refuse(store, free({ id: run.id, fence: 2 }), "the fence is another");
      await refuse(store, free({ id: newId(), fence: 1 }), "the run is another");
      await commit(store, endOf(id, { id: run.id, fence: 1 }));
      const row = await need(store, "session", id);
      deepEqual([row.activeRunId, row.queuedRuns], [null, 0]);
    },
  },
  {
    name: "freeing the lane makes the queued run with the lowest number claimable",
    run: async ({ store }) => {
      const id = await createSession(store);
      const runs = [await queue(store, id, "one"), await queue(store, id, "two"), await queue(store, id, "three")];
      for (const [index, run] of runs.entries()) {
        const next = runs[index + 1];
        const reference = await startRun(store, id, run);
        const result = await commit(store, { at: start + index, ...endOf(id, reference) });
        equal(result.sessions[0]?.claimableRunId, next?.id ?? null);
        if (next) equal((await need(store, "run", next.id)).claimableAt, start + index);
      }
    },
  },
  {
    name: "a commit that frees the lane and queues a run makes the older queued run claimable",
    run: async ({ store }) => {
      const id = await createSession(store);
      const first = await queue(store, id, "one");
      const reference = await startRun(store, id, first);
      const second = await queue(store, id, "two");
      const third = runRow();
      const result = await commit(store, endOf(id, reference, { enqueue: [third] }));
      equal(result.sessions[0]?.claimableRunId, second.id);
      equal((await need(store, "run", third.id)).claimableAt, null);
    },
  },
  {
    name: "a commit that frees the lane and queues the only run makes that run claimable",
    run: async ({ store }) => {
      const id = await createSession(store);
      const reference = await startRun(store, id, await queue(store, id, "one"));
      const follower = runRow({ kind: "flow_announce" });
      const result = await commit(store, endOf(id, reference, { enqueue: [follower] }));
      equal(result.sessions[0]?.claimableRunId, follower.id);
      equal((await need(store, "run", follower.id)).claimableAt, start);
    },
  },
  {
    name: "a run queued while the lane is taken is not claimable before the lane is free",
    run: async ({ store }) => {
      const id = await createSession(store);
      const reference = await startRun(store, id, await queue(store, id, "one"));
      const second = await queue(store, id, "two");
      equal((await need(store, "run", second.id)).claimableAt, null);
      await write(store, { id, set: { label: "unrelated" } });
      equal((await need(store, "run", second.id)).claimableAt, null);
      await commit(store, endOf(id, reference));
      equal((await need(store, "run", second.id)).claimableAt, start);
    },
  },
  {
    name: "when the head of the queue is cancelled, the same commit makes the next run claimable",
    run: async ({ store }) => {
      const id = await createSession(store);
      const [first, second] = [await queue(store, id, "one"), await queue(store, id, "two")];
      const result = await commit(store, {
        sessions: [{ id, add: { queuedRuns: -1 } }],
        records: [
          {
            kind: "run",
            key: first.id,
            when: { state: "queued" },
            set: { state: "cancelled", outcome: "cancelled", claimableAt: null, endedAt: start },
          },
        ],
      });
      equal(result.sessions[0]?.claimableRunId, second.id);
      equal((await need(store, "run", second.id)).claimableAt, start);
      equal((await need(store, "session", id)).queuedRuns, 1);
    },
  },
  {
    name: "a run handed back by its owner's death is claimable again, ahead of younger ones",
    run: async ({ store }) => {
      const id = await createSession(store);
      const [first, second] = [await queue(store, id, "one"), await queue(store, id, "two")];
      await commit(store, claimOf(id, { id: first.id, fence: 1 }));
      const result = await commit(store, {
        sessions: [{ id, lane: { free: { id: first.id, fence: 1 } }, add: { queuedRuns: 1 } }],
        records: [{ kind: "run", key: first.id, when: { fence: 1 }, set: { state: "queued", owner: null } }],
      });
      equal(result.sessions[0]?.claimableRunId, first.id);
      equal((await need(store, "run", second.id)).claimableAt, null);
    },
  },
  {
    name: "claimable runs are found by lane and priority, oldest first, and taken ones are not",
    run: async ({ store }) => {
      const ids = [];
      for (const at of [start + 3, start + 1, start + 2]) {
        const id = await createSession(store);
        ids.push({ id, at, run: await queue(store, id, "go", { lane: "nested" }, at) });
      }
      const find = () =>
        store.read([
          { find: "run", index: "claimable", equals: ["nested", 1], from: 0, limit: 10 },
          { find: "run", index: "claimable", equals: ["main", 1], from: 0, limit: 10 },
        ]);
      const [nested, main] = await find();
      deepEqual(
        nested.map((row) => row.claimableAt),
        [start + 1, start + 2, start + 3],
      );
      equal(main.length, 0);
      const taken = ids[1];
      if (taken) await commit(store, claimOf(taken.id, { id: taken.run.id, fence: 1 }));
      deepEqual(
        (await find())[0].map((row) => row.claimableAt),
        [start + 2, start + 3],
      );
    },
  },
  {
    name: "a second run of one cause is refused, with everything beside it",
    run: async ({ store }) => {
      const id = await createSession(store);
      await write(store, { id, enqueue: [runRow({ cause: "resume:1" })] });
      const before = await digest(store, [id]);
      await refuse(
        store,
        {
          sessions: [
            {
              id,
              append: [{ from: "outside", messages: [messageRow("again")] }],
              enqueue: [runRow({ cause: "resume:1" })],
            },
          ],
        },
        "the cause is taken",
      );
      equal(await digest(store, [id]), before);
    },
  },
]);
