import { deepEqual, equal, ok } from "node:assert/strict";
import { firstParkedSeq } from "@trunkline/core";
import { messageRow, runRow } from "../rows.ts";
import {
  commit,
  createSession,
  endOf,
  need,
  queue,
  refuse,
  say,
  startRun,
  texts,
  transcript,
  write,
} from "../steps.ts";
import { casesOf } from "../store-case.ts";

export const parkingCases = casesOf("parking", [
  {
    name: "a row from outside joins the sequence at once while the lane is free and nothing waits",
    run: async ({ store }) => {
      const id = await createSession(store);
      const result = await say(store, id, ["one", "two"]);
      deepEqual([result.sessions[0]?.lastSeq, result.sessions[0]?.parked], [2, false]);
      deepEqual(
        (await transcript(store, id)).map((message) => message.seq),
        [1, 2],
      );
    },
  },
  {
    name: "a row from outside is parked while a run is active, and shows at the tail",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      const result = await say(store, id, ["late"]);
      equal(result.sessions[0]?.parked, true);
      equal(result.sessions[0]?.lastSeq, 1);
      await commit(store, {
        sessions: [{ id, when: { activeRun: run }, append: [{ from: "run", messages: [messageRow("answer")] }] }],
      });
      const rows = await transcript(store, id);
      deepEqual(texts(rows), ["question", "answer", "late"]);
      ok((rows[2]?.seq ?? 0) >= firstParkedSeq, "the late row waits behind everything");
      deepEqual((await need(store, "session", id)).pendingRows, 1);
    },
  },
  {
    name: "a row from outside is parked while a run is queued",
    run: async ({ store }) => {
      const id = await createSession(store);
      await queue(store, id, "first");
      equal((await say(store, id, ["second"])).sessions[0]?.parked, true);
    },
  },
  {
    name: "a row from outside is parked while an older row waits, though the lane is free",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      await say(store, id, ["waits"]);
      await commit(store, endOf(id, run));
      equal((await say(store, id, ["after"])).sessions[0]?.parked, true);
      deepEqual(texts(await transcript(store, id)), ["question", "waits", "after"]);
    },
  },
  {
    name: "rows of the active run take the next numbers, past everything parked",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      for (const text of ["a", "b"]) {
        await say(store, id, [`outside ${text}`]);
        await commit(store, {
          sessions: [
            { id, when: { activeRun: run }, append: [{ from: "run", messages: [messageRow(`inside ${text}`)] }] },
          ],
        });
      }
      const rows = await transcript(store, id);
      deepEqual(texts(rows), ["question", "inside a", "inside b", "outside a", "outside b"]);
      deepEqual(
        rows.slice(0, 3).map((row) => row.seq),
        [1, 2, 3],
      );
    },
  },
  {
    name: "a commit that frees the lane appends its run's rows before rows from outside",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      await commit(
        store,
        endOf(id, run, {
          append: [
            { from: "run", messages: [messageRow("answer")] },
            { from: "outside", messages: [messageRow("entry")] },
          ],
        }),
      );
      const rows = await transcript(store, id);
      deepEqual(texts(rows), ["question", "answer", "entry"]);
      deepEqual(
        rows.map((row) => row.seq),
        [1, 2, 3],
      );
    },
  },
  {
    name: "a queued run's start takes in the rows up to its own input, in arrival order, and no later one",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "first"));
      await say(store, id, ["notice"]);
      const second = await queue(store, id, "second");
      await say(store, id, ["third, not yet"]);
      await commit(store, endOf(id, run, { append: [{ from: "run", messages: [messageRow("answer")] }] }));
      await startRun(store, id, second);
      const rows = await transcript(store, id);
      deepEqual(texts(rows), ["first", "answer", "notice", "second", "third, not yet"]);
      deepEqual(
        rows.slice(0, 4).map((row) => row.seq),
        [1, 2, 3, 4],
      );
      ok((rows[4]?.seq ?? 0) >= firstParkedSeq, "the third input still waits");
      const row = await need(store, "session", id);
      deepEqual([row.lastSeq, row.pendingRows], [4, 1]);
    },
  },
  {
    name: "rows are unparked by name, in arrival order, and the others stay",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      const waiting = ["a", "b", "c"].map((text) => messageRow(text));
      for (const message of waiting) await write(store, { id, append: [{ from: "outside", messages: [message] }] });
      const ids = [waiting[2], waiting[0]].map((message) => message?.id ?? "");
      await commit(store, { sessions: [{ id, when: { activeRun: run }, unpark: { ids } }] });
      const rows = await transcript(store, id);
      deepEqual(texts(rows), ["question", "a", "c", "b"]);
      deepEqual(
        rows.slice(0, 3).map((row) => row.seq),
        [1, 2, 3],
      );
      equal((await need(store, "session", id)).pendingRows, 1);
    },
  },
  {
    name: "unparked rows come before rows that the same commit appends",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      const steer = messageRow("steer");
      await write(store, { id, append: [{ from: "outside", messages: [steer] }] });
      await commit(store, {
        sessions: [
          {
            id,
            when: { activeRun: run },
            unpark: { ids: [steer.id] },
            append: [{ from: "run", messages: [messageRow("answer to it")] }],
          },
        ],
      });
      deepEqual(texts(await transcript(store, id)), ["question", "steer", "answer to it"]);
    },
  },
  {
    name: "parked numbers are not used twice",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      const first = messageRow("first");
      await write(store, { id, append: [{ from: "outside", messages: [first] }] });
      await commit(store, { sessions: [{ id, when: { activeRun: run }, unpark: { ids: [first.id] } }] });
      await say(store, id, ["second"]);
      await say(store, id, ["third"]);
      deepEqual(texts(await transcript(store, id)), ["question", "first", "second", "third"]);
      equal((await need(store, "session", id)).pendingRows, 2);
    },
  },
  {
    name: "B108: two turns that overlap in time never interleave in the transcript",
    run: async ({ store }) => {
      const id = await createSession(store);
      const [one, two] = [await queue(store, id, "u1"), await queue(store, id, "u2")];
      for (const [run, call, answer] of [
        [one, "call 1", "a1"],
        [two, "call 2", "a2"],
      ] as const) {
        const reference = await startRun(store, id, run);
        await commit(store, {
          sessions: [{ id, when: { activeRun: reference }, append: [{ from: "run", messages: [messageRow(call)] }] }],
        });
        await commit(store, endOf(id, reference, { append: [{ from: "run", messages: [messageRow(answer)] }] }));
      }
      const rows = await transcript(store, id);
      deepEqual(texts(rows), ["u1", "call 1", "a1", "u2", "call 2", "a2"]);
      deepEqual(
        rows.map((row) => row.seq),
        [1, 2, 3, 4, 5, 6],
      );
    },
  },
  {
    name: "a row with a dedupe key exists once in its session, parked or not, and may exist in another",
    run: async ({ store }) => {
      const id = await createSession(store);
      const other = await createSession(store);
      const entry = (target: string, text: string) => ({
        sessions: [
          {
            id: target,
            append: [{ from: "outside" as const, messages: [messageRow(text, { dedupeKey: "completion:1" })] }],
          },
        ],
      });
      await commit(store, entry(id, "one"));
      await refuse(store, entry(id, "again"), "the entry is there");
      await write(store, { id, enqueue: [runRow()] });
      await refuse(store, entry(id, "again, parked"), "the entry is there");
      await commit(store, entry(other, "elsewhere"));
      deepEqual(texts(await transcript(store, id)), ["one"]);
    },
  },
]);
