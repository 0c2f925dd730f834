import { deepEqual, equal } from "node:assert/strict";
import type { UsageTotals } from "@trunkline/core";
import { newId, usageRow } from "../rows.ts";
import { commit, createSession, need, say, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const none: UsageTotals = { inputTokens: 0, outputTokens: 0, totalTokens: 0, nanoUsd: 0, runs: 0 };

export const numberCases = casesOf("numbers", [
  {
    name: "B117: every number column of a session is a number",
    run: async ({ store }) => {
      const id = await createSession(store, { fields: { pinned: 1, contextTokens: 5 } });
      await say(store, id, ["one"]);
      await write(store, {
        id,
        add: { totalTokens: 1 },
        events: [{ kind: "created", actorKind: "system", actorId: null, data: {} }],
      });
      const row = await need(store, "session", id);
      const expected = [
        "sandboxed",
        "spawnDepth",
        "archived",
        "pinned",
        "createdAt",
        "updatedAt",
        "listRank",
        "firstSeq",
        "lastSeq",
        "pendingNo",
        "pendingRows",
        "lastRunNo",
        "queuedRuns",
        "activeFence",
        "stateVersion",
        "eventsPrunedTo",
        "familyVersion",
        "openYields",
        "abortedLastRun",
        "systemSent",
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "contextTokens",
        "watchCount",
        "version",
      ] as const;
      for (const column of expected) equal(typeof row[column], "number", column);
    },
  },
  {
    name: "B117: times, sequence numbers and counts of other rows and pages are numbers",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["one"]);
      await commit(store, { counters: [{ scope: `s:${id}`, by: 1 }] });
      const [message] = await transcript(store, id);
      for (const value of [message?.seq, message?.class, message?.bytes, message?.createdAt])
        equal(typeof value, "number");
      const { total } = await store.readMessages({
        sessionRow: id,
        firstSeq: 1,
        classes: [0],
        from: "newest",
        limit: 1,
        count: true,
      });
      equal(total, 1);
      equal((await need(store, "counter", `s:${id}`)).used, 1);
      const result = await write(store, { id, set: { label: "x" } });
      deepEqual(result.sessions, [
        { id, lastSeq: 1, lastRunNo: 0, stateVersion: 0, claimableRunId: null, parked: false },
      ]);
      equal(typeof (await store.clock()), "number");
    },
  },
  {
    name: "numbers up to 2^53 - 1 are exact, negative ones too",
    run: async ({ store }) => {
      const largest = Number.MAX_SAFE_INTEGER;
      const insert = usageRow({ totalTokens: largest, nanoUsd: largest - 1, at: -largest });
      await commit(store, { records: [{ kind: "usage", insert }] });
      deepEqual(await need(store, "usage", insert.id), insert);
    },
  },
  {
    name: "the database's clock tells milliseconds since the epoch",
    run: async ({ store }) => {
      const difference = Math.abs((await store.clock()) - Date.now());
      equal(difference < 3_600_000, true, `the database's clock is ${difference} ms from this one`);
    },
  },
  {
    name: "B117: usage is summed by session, by parent and by tree, as numbers",
    run: async ({ store }) => {
      const [sessionRow, parentRow, rootId] = [newId(), newId(), newId()];
      const entries = [
        usageRow({ sessionRow, parentRow, rootId, inputTokens: 10, outputTokens: 1, totalTokens: 11, nanoUsd: 5 }),
        usageRow({ sessionRow, parentRow, rootId, inputTokens: 20, outputTokens: 2, totalTokens: 22, nanoUsd: 7 }),
        usageRow({ parentRow, rootId, inputTokens: 100, totalTokens: 100 }),
        usageRow({ rootId, outputTokens: 1000, totalTokens: 1000, nanoUsd: 1 }),
        usageRow({ inputTokens: 9999, totalTokens: 9999 }),
      ];
      await commit(store, { records: entries.map((insert) => ({ kind: "usage", insert })) });
      deepEqual(await store.sumUsage({ sessionRow }), {
        inputTokens: 30,
        outputTokens: 3,
        totalTokens: 33,
        nanoUsd: 12,
        runs: 2,
      });
      deepEqual(await store.sumUsage({ parentRow }), {
        inputTokens: 130,
        outputTokens: 3,
        totalTokens: 133,
        nanoUsd: 12,
        runs: 3,
      });
      deepEqual(await store.sumUsage({ rootId }), {
        inputTokens: 130,
        outputTokens: 1003,
        totalTokens: 1133,
        nanoUsd: 13,
        runs: 4,
      });
    },
  },
  {
    name: "the sum of no usage is zero, not nothing",
    run: async ({ store }) => {
      for (const query of [{ sessionRow: newId() }, { parentRow: newId() }, { rootId: newId() }])
        deepEqual(await store.sumUsage(query), none);
    },
  },
]);
