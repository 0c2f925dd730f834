import { deepEqual, equal } from "node:assert/strict";
import type { NewMessageRow } from "@trunkline/core";
import { messageRow, runRow, start } from "../rows.ts";
import { commit, createSession, endOf, list, need, queue, say, startRun, texts, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const numbered = (count: number, prefix = "m"): readonly string[] =>
  Array.from({ length: count }, (_value, index) => `${prefix}${index}`);

export const orderCases = casesOf("order", [
  {
    name: "B121: twenty rows of one commit and one timestamp keep their order",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, numbered(20));
      deepEqual(texts(await transcript(store, id)), numbered(20));
    },
  },
  {
    name: "B121: rows of many commits at one timestamp keep the order of the commits",
    run: async ({ store }) => {
      const id = await createSession(store);
      for (const text of numbered(20)) await say(store, id, [text]);
      deepEqual(texts(await transcript(store, id)), numbered(20));
    },
  },
  {
    name: "B124: a clock that steps back changes no order: not of messages, events or runs",
    run: async ({ store }) => {
      const id = await createSession(store);
      for (const [index, text] of numbered(6).entries()) {
        const at = start - index * 40;
        await write(
          store,
          {
            id,
            append: [{ from: "outside", messages: [messageRow(text)] }],
            events: [{ kind: "human_direct_message", actorKind: "human", actorId: text, data: {} }],
          },
          at,
        );
      }
      deepEqual(texts(await transcript(store, id)), numbered(6));
      deepEqual(
        (await transcript(store, id)).map((row) => row.createdAt),
        numbered(6).map((_text, index) => start - index * 40),
      );
      const [events] = await store.read([{ find: "stateEvent", index: "version", equals: [id], limit: 10 }]);
      deepEqual(
        events.map((event) => event.actorId),
        numbered(6),
      );
      const runs = [runRow(), runRow(), runRow()];
      for (const [index, run] of runs.entries()) await write(store, { id, enqueue: [run] }, start - index * 1000);
      for (const run of runs) {
        equal((await need(store, "run", run.id)).claimableAt === null, false, "the oldest is claimable");
        const reference = await startRun(store, id, run);
        await commit(store, endOf(id, reference));
      }
    },
  },
  {
    name: "B124: a clock that steps back within a turn leaves a tool's result behind its call, on every page",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      const turn: readonly NewMessageRow[] = [
        messageRow([{ type: "toolCall", id: "t", name: "search", arguments: {} }], { role: "assistant" }),
        messageRow("result", { role: "toolResult", class: 1 }),
        messageRow("answer", { role: "assistant" }),
      ];
      for (const [index, message] of turn.entries())
        await write(store, { id, append: [{ from: "run", messages: [message] }] }, start - index * 40);
      await commit(store, endOf(id, run));
      const roles = ["user", "assistant", "toolResult", "assistant"];
      for (const from of ["oldest", "newest"] as const)
        deepEqual(
          (await transcript(store, id, { from })).map((row) => row.role),
          roles,
        );
      deepEqual(
        (await transcript(store, id, { from: "newest", limit: 2 })).map((row) => row.role),
        roles.slice(2),
      );
    },
  },
  {
    name: "B122: 205 messages of one moment are paged out once each, by offset, and by number while one is added",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, numbered(105));
      for (const text of numbered(100, "n")) await say(store, id, [text]);
      const all = [...numbered(105), ...numbered(100, "n")];
      const byOffset: unknown[] = [];
      for (let offset = 0; offset < 220; offset += 20)
        byOffset.unshift(...texts(await transcript(store, id, { from: "newest", limit: 20, offset })));
      deepEqual(byOffset, all);
      const byNumber: unknown[] = [];
      let beyond: { readonly beyondSeq?: number } = {};
      for (let page = 0; page < 11; page++) {
        const rows = await transcript(store, id, { from: "newest", limit: 20, ...beyond });
        byNumber.unshift(...texts(rows));
        beyond = { beyondSeq: rows[0]?.seq ?? 0 };
        await say(store, id, [`later ${page}`]);
      }
      deepEqual(byNumber, all);
    },
  },
  {
    name: "messages that waited keep the order of their arrival at one timestamp",
    run: async ({ store }) => {
      const id = await createSession(store);
      const first = await startRun(store, id, await queue(store, id, "question"));
      for (const text of numbered(12)) await say(store, id, [text]);
      const last = await queue(store, id, "last");
      await commit(store, endOf(id, first));
      await startRun(store, id, last);
      deepEqual(texts(await transcript(store, id)), ["question", ...numbered(12), "last"]);
    },
  },
  {
    name: "B123: sessions of one updatedAt are listed by key, in the order of its UTF-8 bytes",
    run: async ({ store }) => {
      const peers = ["\u{10000}", "\uffee", "\ud7ff", "z", "Z", "a", "A", "é", "e", "~", "_", "%", "10", "9"];
      for (const peer of peers) await createSession(store, { sessionKey: `agent:main:direct:${peer}` });
      const bytes = (key: string) => Buffer.from(key);
      const expected = peers
        .map((peer) => `agent:main:direct:${peer}`)
        .sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
      deepEqual(
        (await list(store)).map((row) => row.sessionKey),
        expected,
      );
    },
  },
]);
