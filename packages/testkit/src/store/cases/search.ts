import { deepEqual, equal } from "node:assert/strict";
import type { MessageSearch, SessionStore } from "@trunkline/core";
import { messageRow, newId } from "../rows.ts";
import { commit, createSession, list, queue, say, startRun, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const byLabel = async (store: SessionStore, search: string): Promise<readonly (string | null)[]> =>
  (await list(store, { search })).map((row) => row.label).sort();

const hits = async (store: SessionStore, words: readonly string[], over: Partial<MessageSearch> = {}) =>
  (await store.searchMessages({ scope: { every: true }, words, includeTools: false, limit: 50, ...over }))
    .map((hit) => hit.message.body.content)
    .sort();

export const searchCases = casesOf("searching", [
  {
    name: "a search of sessions looks at key, label, display name, sessionId and model",
    run: async ({ store }) => {
      const sessionId = newId();
      await createSession(store, { sessionKey: "agent:main:direct:needle-1", fields: { label: "key" } });
      await createSession(store, { fields: { label: "label needle-2" } });
      await createSession(store, { fields: { label: "display", displayName: "the needle-3 one" } });
      await createSession(store, { sessionId, fields: { label: "id" } });
      await createSession(store, { fields: { label: "model", model: "needle-5" } });
      deepEqual(await byLabel(store, "needle-1"), ["key"]);
      deepEqual(await byLabel(store, "needle-2"), ["label needle-2"]);
      deepEqual(await byLabel(store, "needle-3"), ["display"]);
      deepEqual(await byLabel(store, sessionId.slice(3, 20)), ["id"]);
      deepEqual(await byLabel(store, "needle-5"), ["model"]);
      deepEqual(await byLabel(store, "needle-9"), []);
    },
  },
  {
    name: "B119: percent, underscore, backslash, bracket, star and quote are letters in a search of sessions",
    run: async ({ store }) => {
      const all = [
        "100% sure",
        "100 sure",
        "a_b",
        "aXb",
        "c\\d",
        "cd",
        "e*f",
        "eXXf",
        "g[h]",
        "gh",
        "it's",
        "its",
        'say "x"',
      ];
      for (const label of all) await createSession(store, { fields: { label } });
      deepEqual(await byLabel(store, "100%"), ["100% sure"]);
      deepEqual(await byLabel(store, "a_b"), ["a_b"]);
      deepEqual(await byLabel(store, "c\\d"), ["c\\d"]);
      deepEqual(await byLabel(store, "\\"), ["c\\d"]);
      deepEqual(await byLabel(store, "e*f"), ["e*f"]);
      deepEqual(await byLabel(store, "g[h]"), ["g[h]"]);
      deepEqual(await byLabel(store, "it's"), ["it's"]);
      deepEqual(await byLabel(store, 'y "x'), ['say "x"']);
      deepEqual(await byLabel(store, "%"), ["100% sure"]);
    },
  },
  {
    name: "a search of sessions ignores case, of other alphabets too, and no accent",
    run: async ({ store }) => {
      for (const label of ["Build", "ÄPFEL", "привет", "ΔΕΛΤΑ", "cafe", "café"])
        await createSession(store, { fields: { label } });
      deepEqual(await byLabel(store, "bUILD"), ["Build"]);
      deepEqual(await byLabel(store, "äpfel"), ["ÄPFEL"]);
      deepEqual(await byLabel(store, "ПРИВЕТ"), ["привет"]);
      deepEqual(await byLabel(store, "δελτα"), ["ΔΕΛΤΑ"]);
      deepEqual(await byLabel(store, "CAFÉ"), ["café"]);
      deepEqual(await byLabel(store, "cafe"), ["cafe"]);
    },
  },
  {
    name: "a search of sessions is paged in the list's order",
    run: async ({ store }) => {
      for (let index = 0; index < 9; index++)
        await createSession(store, {
          fields: { label: `${index % 3 === 0 ? "hit" : "miss"} ${index}`, updatedAt: index },
        });
      const page = async (offset: number) =>
        (await list(store, { search: "hit", limit: 2, offset })).map((row) => row.label);
      deepEqual([await page(0), await page(2)], [["hit 6", "hit 3"], ["hit 0"]]);
    },
  },
  {
    name: "a message is found when it holds all words, in any order and case",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["The deploy failed on Friday", "deploy went well", "friday beer"]);
      deepEqual(await hits(store, ["deploy"]), ["The deploy failed on Friday", "deploy went well"]);
      deepEqual(await hits(store, ["FRIDAY", "Deploy"]), ["The deploy failed on Friday"]);
      deepEqual(await hits(store, ["deploy", "absent"]), []);
    },
  },
  {
    name: "B119: percent, underscore, star and quotes are no wildcards and no syntax in a search of messages",
    run: async ({ store }) => {
      const id = await createSession(store);
      const all = [
        "disk at 100% now",
        "disk at 1000 now",
        "call a_b now",
        "call aXb now",
        'said "yes" now',
        "path c\\d now",
      ];
      await say(store, id, all);
      deepEqual(await hits(store, ["100%"]), ["disk at 100% now"]);
      deepEqual(await hits(store, ["a_b"]), ["call a_b now"]);
      deepEqual(await hits(store, ['"yes"']), ['said "yes" now']);
      deepEqual(await hits(store, ["c\\d"]), ["path c\\d now"]);
      for (const word of ["now*", "AND", "NEAR(", "-", "+now -call", "%", "_", "'", '"', "(", "@"])
        deepEqual(await hits(store, [word, "absent"]), [], word);
    },
  },
  {
    name: "a search of messages ignores case in other alphabets too",
    run: async ({ store }) => {
      const id = await createSession(store);
      await say(store, id, ["Äpfel und Birnen", "Привет мир"]);
      deepEqual(await hits(store, ["ÄPFEL"]), ["Äpfel und Birnen"]);
      deepEqual(await hits(store, ["привет"]), ["Привет мир"]);
    },
  },
  {
    name: "the words of text blocks are found, the names of the stored form are not",
    run: async ({ store }) => {
      const id = await createSession(store);
      await write(store, {
        id,
        append: [{ from: "outside", messages: [messageRow([{ type: "text", text: "inside a block" }])] }],
      });
      equal((await hits(store, ["block"])).length, 1);
      for (const word of ["content", "type"]) deepEqual(await hits(store, [word]), []);
    },
  },
  {
    name: "tool results are searched only when asked for, hidden replies never",
    run: async ({ store }) => {
      const id = await createSession(store);
      const rows = [
        messageRow("needle in a result", { role: "toolResult", class: 1 }),
        messageRow("needle hidden", { role: "assistant", class: 2 }),
        messageRow("needle shown"),
      ];
      await write(store, { id, append: [{ from: "outside", messages: rows }] });
      deepEqual(await hits(store, ["needle"]), ["needle shown"]);
      deepEqual(await hits(store, ["needle"], { includeTools: true }), ["needle in a result", "needle shown"]);
    },
  },
  {
    name: "a search of messages stays in its scope and in the current incarnation, and names the session",
    run: async ({ store }) => {
      const [own, other] = [await createSession(store), await createSession(store, { agentId: "other" })];
      await say(store, own, ["needle of old"]);
      await write(store, { id: own, set: { sessionId: newId() } });
      await say(store, own, ["needle of own"]);
      await say(store, other, ["needle of other"]);
      deepEqual(await hits(store, ["needle"]), ["needle of other", "needle of own"]);
      deepEqual(await hits(store, ["needle"], { scope: { ids: [own] } }), ["needle of own"]);
      deepEqual(await hits(store, ["needle"], { scope: {} }), []);
      deepEqual(await hits(store, ["needle"], { agentId: "other" }), ["needle of other"]);
      deepEqual(await hits(store, ["needle"], { agentId: "other", scope: { ids: [own] } }), []);
      const found = await store.searchMessages({
        scope: { ids: [own] },
        words: ["needle"],
        includeTools: false,
        limit: 5,
      });
      deepEqual(
        found.map((hit) => hit.session.id),
        [own],
      );
    },
  },
  {
    name: "a search of messages leaves deleted sessions out, and pages without repeat",
    run: async ({ store }) => {
      const gone = await createSession(store);
      await say(store, gone, ["needle gone"]);
      await write(store, { id: gone, set: { archived: 2, deletedAt: 1 } });
      const id = await createSession(store);
      await say(
        store,
        id,
        Array.from({ length: 25 }, (_value, index) => `needle ${String(index).padStart(2, "0")}`),
      );
      const found: unknown[] = [];
      for (let offset = 0; offset < 30; offset += 10)
        found.push(...(await hits(store, ["needle"], { limit: 10, offset })));
      equal(found.length, 25);
      equal(new Set(found).size, 25);
    },
  },
  {
    name: "a message that waits for its turn is found",
    run: async ({ store }) => {
      const id = await createSession(store);
      await startRun(store, id, await queue(store, id, "question"));
      await say(store, id, ["needle waiting"]);
      deepEqual(await hits(store, ["needle"]), ["needle waiting"]);
    },
  },
  {
    name: "a message that was found while it waited is found once when it has had its turn",
    run: async ({ store }) => {
      const id = await createSession(store);
      const run = await startRun(store, id, await queue(store, id, "question"));
      await say(store, id, ["needle waiting"]);
      deepEqual(await hits(store, ["needle"]), ["needle waiting"]);
      await commit(store, {
        sessions: [
          {
            id,
            when: { activeRun: run },
            append: [{ from: "run", messages: [messageRow("needle meanwhile")] }],
            unpark: { through: Number.MAX_SAFE_INTEGER },
          },
        ],
      });
      deepEqual(await hits(store, ["needle"]), ["needle meanwhile", "needle waiting"]);
      await say(store, id, ["needle later"]);
      deepEqual(await hits(store, ["needle"]), ["needle later", "needle meanwhile", "needle waiting"]);
    },
  },
  {
    name: "messages of many sessions, and many messages of one, are all found, and those that come later too",
    run: async ({ store }) => {
      const many = Array.from({ length: 450 }, (_value, number) => `needle ${number}`);
      const sessions: string[] = [];
      for (let number = 0; number < 40; number++) sessions.push(await createSession(store));
      await Promise.all(sessions.map((id, number) => say(store, id, number === 20 ? many : [`needle of ${number}`])));
      equal(await count(store, "needle"), 489);
      await Promise.all(sessions.map((id) => say(store, id, ["later needle"])));
      equal(await count(store, "needle"), 529);
      equal(await count(store, "later"), 40);
    },
  },
  {
    name: "of hundreds of messages that wait for their turn each is found",
    run: async ({ store }) => {
      const id = await createSession(store);
      await startRun(store, id, await queue(store, id, "question"));
      for (let part = 0; part < 3; part++) {
        await say(
          store,
          id,
          Array.from({ length: 150 }, (_value, number) => `needle ${part} ${number}`),
        );
      }
      equal(await count(store, "needle"), 450);
      await say(store, id, ["one more needle"]);
      equal(await count(store, "needle"), 451);
    },
  },
  {
    name: "messages that come while others search are found in the end, each once",
    run: async ({ store, open, capabilities }) => {
      const other = capabilities.shared ? await open() : store;
      const sessions = [await createSession(store), await createSession(store), await createSession(store)];
      const writing = sessions.map(async (id, writer) => {
        for (let round = 0; round < 20; round++)
          await say(writer === 0 ? other : store, id, [`needle ${writer} ${round}`]);
      });
      const searching = [store, other].map(async (reader) => {
        for (let round = 0; round < 8; round++) await count(reader, "needle");
      });
      await Promise.all([...writing, ...searching]);
      equal(await count(store, "needle"), 60);
      equal(await count(other, "needle"), 60);
    },
  },
]);

/** How many hits a word has, page by page. */
async function count(store: SessionStore, word: string): Promise<number> {
  const found = new Set<string>();
  for (let offset = 0; ; offset += 100) {
    const search = { scope: { every: true }, words: [word], includeTools: false, limit: 100, offset } as const;
    const page = await store.searchMessages(search);
    for (const { message } of page) found.add(message.id);
    if (page.length < 100) return found.size;
  }
}
