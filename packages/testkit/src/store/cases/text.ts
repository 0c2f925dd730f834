import { deepEqual, equal, rejects } from "node:assert/strict";
import { type SessionStore, TrunklineError } from "@trunkline/core";
import { deliveryRow, idempotencyRow, messageRow, runRow } from "../rows.ts";
import { commit, createSession, digest, get, list, need, texts, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

/** What goes in and what must come out. */
const hostile: readonly (readonly [string, string, string])[] = [
  ["emoji, arrows, an ideograph beyond the basic plane", "\u{1f600} → \u{20bb7}", "\u{1f600} → \u{20bb7}"],
  ["the six characters of an escaped NUL", "a \\u0000 b", "a \\u0000 b"],
  ["a NUL beside its escape", "a\0b \\u0000", "a\ufffdb \\u0000"],
  ["a lone high surrogate", "a\ud800b", "a\ufffdb"],
  ["a lone low surrogate at the end", "a\udc00", "a\ufffd"],
  ["right-to-left text and joiners", "\u05e9\u05dc\u05d5\u05dd \u200d\u200f", "\u05e9\u05dc\u05d5\u05dd \u200d\u200f"],
  ["quotes, backslashes and SQL", "'; DROP TABLE runs; -- \" \\ `", "'; DROP TABLE runs; -- \" \\ `"],
  ["line ends and control characters", "\r\n\t\u0001\u001f\u007f\u2028", "\r\n\t\u0001\u001f\u007f\u2028"],
  ["placeholders", "$1 ? :name @x %s {}", "$1 ? :name @x %s {}"],
  ["white space only", "  \n ", "  \n "],
  ["nothing", "", ""],
];

const looksLikeJson = ['{"a":1}', "[1,2]", "null", "true", "1e3", '"quoted"'];

async function stored(store: SessionStore, content: string): Promise<unknown> {
  const id = await createSession(store);
  const row = messageRow(content);
  await write(store, { id, append: [{ from: "outside", messages: [row] }] });
  return (await need(store, "message", row.id)).body.content;
}

export const textCases = casesOf("text", [
  {
    name: "B116: hostile text reads back as written, NUL and lone surrogates as U+FFFD",
    run: async ({ store }) => {
      for (const [what, written, read] of hostile) equal(await stored(store, written), read, what);
    },
  },
  {
    name: "B114, B116: hostile text is kept alike in labels, routes, tool arguments, errors, bodies and causes",
    run: async ({ store }) => {
      for (const [what, written, read] of hostile) {
        if (read === "") continue;
        const id = await createSession(store, {
          fields: { label: written, goal: written, route: { channel: "slack", to: written } },
        });
        const session = await need(store, "session", id);
        deepEqual([session.label, session.goal, session.route?.to], [read, read, read], what);
        const delivery = deliveryRow(id, { body: written, reason: written, receipts: [written] });
        await commit(store, { records: [{ kind: "delivery", insert: delivery }] });
        const kept = await need(store, "delivery", delivery.id);
        deepEqual([kept.body, kept.reason, kept.receipts], [read, read, [read]], what);
        const call = messageRow([{ type: "toolCall", id: "t", name: "n", arguments: { [`k${written}`]: [written] } }]);
        const run = runRow({ cause: `c ${written}`, error: written });
        await write(store, { id, append: [{ from: "outside", messages: [call] }], enqueue: [run] });
        deepEqual((await need(store, "message", call.id)).body.content, [
          { type: "toolCall", id: "t", name: "n", arguments: { [`k${read}`]: [read] } },
        ]);
        const queued = await need(store, "run", run.id);
        deepEqual([queued.cause, queued.error], [`c ${read}`, read], what);
      }
    },
  },
  {
    name: "B114: emoji, arrows and rare ideographs are kept and found in a key, a label and a body",
    run: async ({ store }) => {
      const wide = "\u{1f600}\u2192\u{20bb7}";
      const sessionKey = `agent:main:direct:${wide}`;
      const id = await createSession(store, { sessionKey, fields: { label: wide } });
      const row = messageRow(`see ${wide} there`);
      await write(store, { id, append: [{ from: "outside", messages: [row] }] });
      const [byKey, byLabel] = await store.read([
        { find: "session", index: "sessionKey", equals: [sessionKey], limit: 5 },
        { find: "session", index: "label", equals: [wide, "main"], limit: 5 },
      ]);
      for (const [found] of [byKey, byLabel]) deepEqual([found?.sessionKey, found?.label], [sessionKey, wide]);
      deepEqual(
        (await list(store, { search: "\u{1f600}\u2192" })).map((one) => one.id),
        [id],
      );
      equal((await need(store, "message", row.id)).body.content, `see ${wide} there`);
      const hits = await store.searchMessages({
        scope: { every: true },
        words: ["\u{20bb7}"],
        includeTools: false,
        limit: 5,
      });
      deepEqual(
        hits.map((hit) => hit.message.id),
        [row.id],
      );
    },
  },
  {
    name: "B111: a string that looks like JSON stays a string",
    run: async ({ store }) => {
      for (const text of looksLikeJson) equal(await stored(store, text), text);
      const insert = idempotencyRow({ result: { reply: '{"a":1}', count: 1 } });
      await commit(store, { records: [{ kind: "idempotency", insert }] });
      deepEqual((await need(store, "idempotency", insert.scopeHash)).result, { reply: '{"a":1}', count: 1 });
    },
  },
  {
    name: "null, false, zero, empty strings and nesting survive inside JSON values",
    run: async ({ store }) => {
      const result = { a: null, b: false, c: 0, d: "", e: [], f: {}, g: [[{ h: [1.5, -1, 1e21] }]] };
      const insert = idempotencyRow({ result });
      await commit(store, { records: [{ kind: "idempotency", insert }] });
      deepEqual((await need(store, "idempotency", insert.scopeHash)).result, result);
    },
  },
  {
    name: "B113: messages of 70 kB, 1 MB and 15 MB read back whole, in pages too",
    timeoutMs: 60_000,
    run: async ({ store }) => {
      const id = await createSession(store);
      for (const [size, letter] of [
        [70_000, "a"],
        [1_000_000, "\u20ac"],
        [15_000_000, "z"],
      ] as const) {
        const text = letter.repeat(size / Buffer.byteLength(letter));
        const row = messageRow(`${text}!`);
        await write(store, { id, append: [{ from: "outside", messages: [row] }] });
        equal((await need(store, "message", row.id)).body.content === `${text}!`, true, `${size} bytes`);
        const tail = await transcript(store, id, { from: "newest", limit: 1 });
        equal(tail[0]?.body.content === `${text}!`, true, `${size} bytes in a page`);
      }
    },
  },
  {
    name: "a reply and a delivery of 1 MB read back whole",
    run: async ({ store }) => {
      const id = await createSession(store);
      const body = "\u{1f600}".repeat(250_000);
      const insert = deliveryRow(id, { body });
      await commit(store, { records: [{ kind: "delivery", insert }] });
      equal((await need(store, "delivery", insert.id)).body === body, true);
    },
  },
  {
    name: "B113: a message over 16 MiB is refused with store_too_large before anything is written",
    timeoutMs: 60_000,
    run: async ({ store }) => {
      const id = await createSession(store);
      const before = await digest(store, [id]);
      const row = messageRow("x".repeat(16 * 1024 * 1024 + 1));
      await rejects(
        write(store, { id, set: { label: "no" }, append: [{ from: "outside", messages: [row] }] }),
        (error: unknown) => TrunklineError.isInstance(error) && error.code === "store_too_large",
      );
      equal(await digest(store, [id]), before);
      equal(await get(store, "message", row.id), undefined);
    },
  },
  {
    name: "many large messages in one commit are kept in order",
    timeoutMs: 60_000,
    run: async ({ store }) => {
      const id = await createSession(store);
      const contents = Array.from({ length: 6 }, (_value, index) => `${index}${"m".repeat(1_500_000)}`);
      await write(store, {
        id,
        append: [{ from: "outside", messages: contents.map((content) => messageRow(content)) }],
      });
      const read = texts(await transcript(store, id));
      deepEqual(
        read.map((content) => String(content).slice(0, 1)),
        ["0", "1", "2", "3", "4", "5"],
      );
      equal(
        read.every((content, index) => content === contents[index]),
        true,
      );
    },
  },
  {
    name: "the size of a message is the number of its UTF-8 bytes, not of its units",
    run: async ({ store }) => {
      const id = await createSession(store);
      const [plain, wide] = [messageRow("a".repeat(1000)), messageRow("€".repeat(1000))];
      await write(store, { id, append: [{ from: "outside", messages: [plain, wide] }] });
      const [one, two] = await transcript(store, id);
      equal((two?.bytes ?? 0) - (one?.bytes ?? 0), 2000);
    },
  },
]);
