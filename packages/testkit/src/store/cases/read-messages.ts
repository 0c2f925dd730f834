import { deepEqual, equal } from "node:assert/strict";
import type { MessageClass, MessageQuery, SessionStore } from "@trunkline/core";
import { messageRow } from "../rows.ts";
import { createSession, need, queue, say, startRun, texts, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const page = async (store: SessionStore, sessionRow: string, over: Partial<MessageQuery> = {}) => {
  const query: MessageQuery = { sessionRow, firstSeq: 1, classes: [0], from: "newest", limit: 3, ...over };
  const { messages, more, total } = await store.readMessages(query);
  return { texts: texts(messages), seqs: messages.map((message) => message.seq), more, total };
};

/** Ten rows, `0` to `9`; every third is a tool result, `7` is hidden. */
async function mixed(store: SessionStore): Promise<string> {
  const id = await createSession(store);
  const classOf = (index: number): MessageClass => (index === 7 ? 2 : index % 3 === 0 ? 1 : 0);
  const messages = Array.from({ length: 10 }, (_value, index) => messageRow(`${index}`, { class: classOf(index) }));
  await write(store, { id, append: [{ from: "outside", messages }] });
  return id;
}

/** Five rows in sequence, a run on them, and two that wait. */
async function waiting(store: SessionStore): Promise<string> {
  const id = await createSession(store);
  await say(store, id, ["1", "2", "3", "4"]);
  await startRun(store, id, await queue(store, id, "5"));
  await say(store, id, ["waits 1"]);
  await say(store, id, ["waits 2"]);
  return id;
}

export const readMessageCases = casesOf("reading messages", [
  {
    name: "the newest page is the tail, in ascending order, and says that more lies before it",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["1", "2", "3", "4", "5"]);
      deepEqual(await page(store, id), { texts: ["3", "4", "5"], seqs: [3, 4, 5], more: true, total: undefined });
    },
  },
  {
    name: "the oldest page is the head, in ascending order",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["1", "2", "3", "4", "5"]);
      const { texts: found, more } = await page(store, id, { from: "oldest" });
      deepEqual([found, more], [["1", "2", "3"], true]);
    },
  },
  {
    name: "a page that ends exactly at the last row says that there is no more",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["1", "2", "3"]);
      for (const from of ["newest", "oldest"] as const) {
        const full = await page(store, id, { from });
        deepEqual([full.texts, full.more], [["1", "2", "3"], false]);
        equal((await page(store, id, { from, limit: 2 })).more, true);
      }
    },
  },
  {
    name: "rows are filtered by class first and paged after, so that pages are full",
    run: async ({ store }) => {
      const id = await mixed(store);
      deepEqual((await page(store, id, { limit: 3 })).texts, ["4", "5", "8"]);
      deepEqual((await page(store, id, { limit: 3, classes: [0, 1] })).texts, ["6", "8", "9"]);
      deepEqual((await page(store, id, { limit: 10, classes: [2] })).texts, ["7"]);
      deepEqual((await page(store, id, { limit: 10, classes: [] })).texts, []);
    },
  },
  {
    name: "the count is of the rows that match, whatever the page",
    run: async ({ store }) => {
      const id = await mixed(store);
      const { total } = await page(store, id, { limit: 1, offset: 2, count: true });
      equal(total, 5);
      equal((await page(store, id, { limit: 1, classes: [0, 1, 2], count: true })).total, 10);
    },
  },
  {
    name: "offsets lead from the tail to the first message without gap or repeat",
    run: async ({ store }) => {
      const id = await mixed(store);
      const pages = [];
      for (let offset = 0; offset < 6; offset += 2) pages.unshift((await page(store, id, { limit: 2, offset })).texts);
      deepEqual(pages.flat(), ["1", "2", "4", "5", "8"]);
      deepEqual(await page(store, id, { offset: 5 }), { texts: [], seqs: [], more: false, total: undefined });
      deepEqual(await page(store, id, { offset: 500 }), { texts: [], seqs: [], more: false, total: undefined });
    },
  },
  {
    name: "sequence numbers lead through a transcript that grows meanwhile, each row once, both ways",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["1", "2", "3", "4", "5", "6", "7"]);
      const back: unknown[] = [];
      let beyond: Partial<MessageQuery> = {};
      for (let more = true; more; ) {
        const found = await page(store, id, { limit: 3, ...beyond });
        back.unshift(...found.texts);
        beyond = { beyondSeq: found.seqs[0] ?? 0 };
        more = found.more;
        await say(store, id, ["later"]);
      }
      deepEqual(back, ["1", "2", "3", "4", "5", "6", "7"]);
      const forth = await page(store, id, { from: "oldest", beyondSeq: 2, limit: 2 });
      deepEqual([forth.texts, forth.more], [["3", "4"], true]);
    },
  },
  {
    name: "rows below the incarnation are not read",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["1", "2", "3"]);
      const found = await page(store, id, { firstSeq: 3, limit: 10, count: true });
      deepEqual([found.texts, found.more, found.total], [["3"], false, 1]);
    },
  },
  {
    name: "waiting rows are the tail of the walk, can be left out, and are counted only when in",
    run: async ({ store }) => {
      const id = await waiting(store);
      const tail = await page(store, id, { count: true });
      deepEqual([tail.texts, tail.more, tail.total], [["5", "waits 1", "waits 2"], true, 7]);
      const without = await page(store, id, { withoutPending: true, count: true });
      deepEqual([without.texts, without.total], [["3", "4", "5"], 5]);
      deepEqual((await page(store, id, { offset: 1, limit: 2 })).texts, ["5", "waits 1"]);
    },
  },
  {
    name: "messages of other sessions are not read",
    run: async ({ store }) => {
      const [one, two] = [await createSession(store), await createSession(store)];
      await say(store, one, ["of one"]);
      await say(store, two, ["of two"]);
      deepEqual(texts(await transcript(store, one)), ["of one"]);
      deepEqual(texts(await transcript(store, two)), ["of two"]);
    },
  },
  {
    name: "a message reads back whole: role, class, run, provenance, blocks, time and size",
    run: async ({ store }) => {
      const id = await createSession(store);
      const row = messageRow(
        [
          { type: "text", text: "hi" },
          { type: "toolCall", id: "t1", name: "search", arguments: { q: ["a", 1, null, { deep: true }] } },
        ],
        {
          role: "assistant",
          class: 0,
          runId: id,
          provenance: { kind: "inter_session", sourceSessionKey: "agent:main:main", chainId: "c", hop: 2 },
          dedupeKey: "d",
        },
      );
      await write(store, { id, append: [{ from: "outside", messages: [row] }] }, 1234);
      const found = await need(store, "message", row.id);
      deepEqual(
        {
          id: found.id,
          role: found.role,
          class: found.class,
          runId: found.runId,
          provenance: found.provenance,
          body: found.body,
          dedupeKey: found.dedupeKey,
          seq: found.seq,
          sessionRow: found.sessionRow,
          createdAt: found.createdAt,
        },
        {
          id: row.id,
          role: "assistant",
          class: 0,
          runId: id,
          provenance: row.provenance,
          body: row.body,
          dedupeKey: "d",
          seq: 1,
          sessionRow: id,
          createdAt: 1234,
        },
      );
      deepEqual((await transcript(store, id))[0], found);
      const [byKey] = await store.read([{ find: "message", index: "dedupe", equals: [id, "d"], limit: 2 }]);
      deepEqual(
        byKey.map((one) => one.id),
        [row.id],
      );
    },
  },
  {
    name: "a stored body that cannot be decoded is read as unreadable, and its neighbours as they are",
    requires: "corruption",
    run: async ({ store, harness }) => {
      const id = await createSession(store);
      const rows = ["before", "broken", "after"].map((text) => messageRow(text));
      await write(store, { id, append: [{ from: "outside", messages: rows }] });
      await harness.corrupt?.(rows[1]?.id ?? "");
      const found = await transcript(store, id);
      deepEqual(
        found.map((row) => row.body),
        [{ content: "before" }, { content: "", unreadable: true }, { content: "after" }],
      );
    },
  },
]);
