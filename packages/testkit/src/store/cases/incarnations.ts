import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { messageRow, newId, sessionRow, start } from "../rows.ts";
import { commit, createSession, need, queue, refuse, say, startRun, texts, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

export const incarnationCases = casesOf("incarnations", [
  {
    name: "a reset starts an empty incarnation behind the old text, which stays",
    run: async ({ store }) => {
      const id = await createSession(store, { fields: { label: "kept", goal: "kept" } });
      await say(store, id, ["old one", "old two"]);
      const sessionId = newId();
      await write(store, { id, set: { sessionId } });
      const row = await need(store, "session", id);
      deepEqual([row.sessionId, row.firstSeq, row.lastSeq, row.label, row.goal], [sessionId, 3, 2, "kept", "kept"]);
      await say(store, id, ["new"]);
      deepEqual(texts(await transcript(store, id, { firstSeq: row.firstSeq })), ["new"]);
      deepEqual(texts(await transcript(store, id)), ["old one", "old two", "new"]);
    },
  },
  {
    name: "each incarnation has an epoch that says where its text lies",
    run: async ({ store }) => {
      const first = newId();
      const id = await createSession(store, { sessionId: first });
      await say(store, id, ["one", "two"]);
      const second = newId();
      await write(store, { id, set: { sessionId: second } }, start + 10);
      const [epochs] = await store.read([{ find: "epoch", index: "session", equals: [id], limit: 10 }]);
      deepEqual(
        epochs.map((epoch) => [epoch.sessionId, epoch.firstSeq, epoch.lastSeq, epoch.startedAt, epoch.endedAt]),
        [
          [first, 1, 2, start, start + 10],
          [second, 3, null, start + 10, null],
        ],
      );
      equal((await need(store, "epoch", first)).sessionRow, id);
    },
  },
  {
    name: "the old sessionId finds no session after a reset",
    run: async ({ store }) => {
      const old = newId();
      const id = await createSession(store, { sessionId: old });
      const fresh = newId();
      await write(store, { id, set: { sessionId: fresh } });
      const [gone, found] = await store.read([
        { find: "session", index: "sessionId", equals: [old], limit: 1 },
        { find: "session", index: "sessionId", equals: [fresh], limit: 1 },
      ]);
      deepEqual([gone.length, found[0]?.id], [0, id]);
    },
  },
  {
    name: "rows that wait at a reset belong to the closed incarnation",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      await say(store, id, ["waiting"]);
      await commit(store, {
        sessions: [{ id, lane: { free: run }, set: { sessionId: newId() } }],
        records: [{ kind: "run", key: run.id, set: { state: "cancelled", outcome: "cancelled", endedAt: start } }],
      });
      const row = await need(store, "session", id);
      deepEqual([row.firstSeq, row.lastSeq, row.pendingRows], [3, 2, 0]);
      deepEqual(texts(await transcript(store, id, { firstSeq: row.firstSeq })), []);
      deepEqual(texts(await transcript(store, id)), ["question", "waiting"]);
    },
  },
  {
    name: "the title is the incarnation's first message from a human, the preview its newest shown text",
    run: async ({ store }) => {
      const id = await createSession(store);
      const shown = messageRow("from an agent", { role: "assistant" });
      const human = messageRow("from a human", { human: true });
      const second = messageRow("a second one", { human: true });
      const tool = messageRow("a tool's result", { role: "toolResult", class: 1 });
      const hidden = messageRow("NO_REPLY", { role: "assistant", class: 2 });
      await write(store, { id, append: [{ from: "outside", messages: [shown, human] }] });
      await write(store, { id, append: [{ from: "outside", messages: [second, tool, hidden] }] });
      const row = await need(store, "session", id);
      deepEqual([row.titleMessage, row.lastMessage], [human.id, second.id]);
      await write(store, { id, set: { sessionId: newId() } });
      const empty = await need(store, "session", id);
      deepEqual([empty.titleMessage, empty.lastMessage], [null, null]);
      await write(store, {
        id,
        append: [{ from: "outside", messages: [messageRow("again", { id: newId(), human: true })] }],
      });
      notEqual((await need(store, "session", id)).titleMessage, null);
    },
  },
  {
    name: "a copy takes the current transcript up to a number, with new ids, and leaves the source alone",
    run: async ({ store }) => {
      const source = await createSession(store);
      await say(store, source, ["of the last incarnation"]);
      await write(store, { id: source, set: { sessionId: newId() } });
      const rows = [
        messageRow("question"),
        messageRow([{ type: "toolCall", id: "t", name: "search", arguments: { q: 1 } }], { role: "assistant" }),
        messageRow("result", {
          role: "toolResult",
          class: 1,
          body: { content: "result", toolCallId: "t", isError: true },
        }),
        messageRow("answer", { role: "assistant" }),
      ];
      await write(store, { id: source, append: [{ from: "outside", messages: rows }] });
      const before = await transcript(store, source);
      const target = newId();
      await commit(store, {
        sessions: [
          {
            id: target,
            create: sessionRow(),
            copy: { fromSession: source, throughSeq: 4 },
            append: [{ from: "outside", messages: [messageRow("task")] }],
          },
        ],
      });
      const copied = await transcript(store, target);
      deepEqual(
        copied.map((one) => [one.role, one.class, one.body]),
        [...before.slice(1, 4).map((one) => [one.role, one.class, one.body]), ["user", 0, { content: "task" }]],
      );
      deepEqual(
        copied.map((one) => one.seq),
        [1, 2, 3, 4],
      );
      const ids = new Set([...copied, ...before].map((one) => one.id));
      equal(ids.size, copied.length + before.length);
      deepEqual(await transcript(store, source), before);
      equal((await need(store, "session", target)).lastSeq, 4);
    },
  },
  {
    name: "a copy leaves rows out that still wait",
    run: async ({ store }) => {
      const source = await createSession(store);
      await startRun(store, source, await queue(store, source, "question"));
      await say(store, source, ["waiting"]);
      const target = newId();
      await write(store, { id: target, create: sessionRow(), copy: { fromSession: source, throughSeq: 2 ** 51 } });
      deepEqual(texts(await transcript(store, target)), ["question"]);
    },
  },
  {
    name: "a reset to a sessionId that was used before is refused",
    run: async ({ store }) => {
      const [one, two] = [newId(), newId()];
      const id = await createSession(store, { sessionId: one });
      await write(store, { id, set: { sessionId: two } });
      await refuse(store, { sessions: [{ id, set: { sessionId: one } }] }, "the incarnation is a closed one");
      ok((await need(store, "session", id)).sessionId === two, "the incarnation stays");
    },
  },
]);
