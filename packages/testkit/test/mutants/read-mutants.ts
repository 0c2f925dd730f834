import type { MessageQuery, PruneRequest, SessionListQuery, SessionRecord, SessionStore } from "@trunkline/core";
import type { Mutant } from "./commit-mutants.ts";
import { override, without } from "./override.ts";

const listing = (rewrite: (query: SessionListQuery) => SessionListQuery) => (store: SessionStore) =>
  override(store, { listSessions: (query) => store.listSessions(rewrite(query)) });

const listed = (change: (rows: readonly SessionRecord[]) => readonly SessionRecord[]) => (store: SessionStore) =>
  override(store, { listSessions: async (query) => change(await store.listSessions(query)) });

const reading = (rewrite: (query: MessageQuery) => MessageQuery) => (store: SessionStore) =>
  override(store, { readMessages: (query) => store.readMessages(rewrite(query)) });

const pruning = (rewrite: (request: PruneRequest) => PruneRequest) => (store: SessionStore) =>
  override(store, { prune: (request) => store.prune(rewrite(request)) });

export const readMutants: readonly Mutant[] = [
  {
    fault: "a page holds one row too many",
    caughtBy: "the newest page is the tail, in ascending order, and says that more lies before it",
    mutate: reading((query) => ({ ...query, limit: query.limit + 1 })),
  },
  {
    fault: "a full page always says that there is more",
    caughtBy: "a page that ends exactly at the last row says that there is no more",
    mutate: (store) =>
      override(store, {
        async readMessages(query) {
          const page = await store.readMessages(query);
          return { ...page, more: page.messages.length === query.limit };
        },
      }),
  },
  {
    fault: "the count is of the page",
    caughtBy: "the count is of the rows that match, whatever the page",
    mutate: (store) =>
      override(store, {
        async readMessages(query) {
          const page = await store.readMessages(query);
          return { ...page, total: page.messages.length };
        },
      }),
  },
  {
    fault: "rows are paged first and filtered after",
    caughtBy: "rows are filtered by class first and paged after, so that pages are full",
    mutate: (store) =>
      override(store, {
        async readMessages(query) {
          const page = await store.readMessages({ ...query, classes: [0, 1, 2] });
          return { ...page, messages: page.messages.filter((message) => query.classes.includes(message.class)) };
        },
      }),
  },
  {
    fault: "messages are ordered by time",
    caughtBy: "B124: a clock that steps back changes no order: not of messages, events or runs",
    mutate: (store) =>
      override(store, {
        async readMessages(query) {
          const page = await store.readMessages(query);
          return { ...page, messages: page.messages.toSorted((a, b) => a.createdAt - b.createdAt) };
        },
      }),
  },
  {
    fault: "tails are walked from the oldest row",
    caughtBy: "the newest rows of each session come back ascending, in the order asked, empty ones as empty",
    mutate: (store) =>
      override(store, {
        async readTails(query) {
          const whole = await store.readTails({ ...query, limit: 1000 });
          return whole.map((rows) => rows.slice(0, query.limit));
        },
      }),
  },
  {
    fault: "the limit is one for all tails together",
    caughtBy: "the tails of hundreds of sessions are read at once",
    mutate: (store) =>
      override(store, {
        async readTails(query) {
          let left = query.limit;
          return (await store.readTails(query)).map((rows) => rows.slice(0, Math.max(0, left--)));
        },
      }),
  },
  {
    fault: "rows read by key come back in the order of the table, absent ones left out",
    caughtBy: "hundreds of rows asked for by key come back each in its place, absent and repeated ones too",
    mutate: (store) =>
      override(store, {
        async read(requests) {
          const found: readonly unknown[] = await store.read(requests);
          const there = found.filter((row) => row !== undefined);
          return [...there, ...Array(found.length - there.length)] as never;
        },
      }),
  },
  {
    fault: "a search of messages does not look at the agent",
    caughtBy: "a search of messages stays in its scope and in the current incarnation, and names the session",
    mutate: (store) =>
      override(store, { searchMessages: (search) => store.searchMessages(without(search, "agentId")) }),
  },
  {
    fault: "waiting rows cannot be left out",
    caughtBy: "waiting rows are the tail of the walk, can be left out, and are counted only when in",
    mutate: reading((query) => without(query, "withoutPending")),
  },
  {
    fault: "the last incarnation is read too",
    caughtBy: "rows below the incarnation are not read",
    mutate: reading((query) => ({ ...query, firstSeq: 0 })),
  },
  {
    fault: "the sequence to read beyond is not looked at",
    caughtBy: "sequence numbers lead through a transcript that grows meanwhile, each row once, both ways",
    mutate: reading((query) => ({ ...query, limit: 100, offset: query.beyondSeq === undefined ? 0 : 1000 })),
  },
  {
    fault: "pinned sessions are not first",
    caughtBy: "B123: pinned sessions come first, then the newest; a limit keeps these",
    mutate: listed((rows) => rows.toSorted((a, b) => b.updatedAt - a.updatedAt)),
  },
  {
    fault: "keys are ordered by UTF-16 units",
    caughtBy: "B123: sessions of one updatedAt are listed by key, in the order of its UTF-8 bytes",
    mutate: listed((rows) => rows.toSorted((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1))),
  },
  {
    fault: "the cursor is not looked at",
    caughtBy:
      "B122: 205 sessions of one updatedAt are paged out once each, by offset, and by cursor while some are written",
    mutate: listing((query) => without(query, "after")),
  },
  {
    fault: "the cursor stands on the rank alone",
    caughtBy:
      "B122: 205 sessions of one updatedAt are paged out once each, by offset, and by cursor while some are written",
    mutate: listing((query) =>
      query.after ? { ...query, after: { ...query.after, sessionKey: "\u{10ffff}" } } : query,
    ),
  },
  {
    fault: "archived sessions are listed among the others",
    caughtBy: "archived sessions are listed alone and only when asked for, deleted ones never",
    mutate: (store) =>
      override(store, {
        listSessions: async (query) => [
          ...(await store.listSessions({ ...query, archived: false })),
          ...(await store.listSessions({ ...query, archived: true })),
        ],
      }),
  },
  {
    fault: "an empty scope is every session",
    caughtBy: "a scope of nothing holds nothing",
    mutate: listing((query) =>
      Object.values(query.scope).flat().length === 0 ? { ...query, scope: { every: true } } : query,
    ),
  },
  {
    fault: "a search leaves its scope",
    caughtBy: "a scope bounds every filter: a search finds nothing outside it",
    mutate: listing((query) => (query.search ? { ...query, scope: { every: true } } : query)),
  },
  {
    fault: "percent and underscore are left out of a search",
    caughtBy: "B119: percent, underscore, backslash, bracket, star and quote are letters in a search of sessions",
    mutate: listing((query) => (query.search ? { ...query, search: query.search.replaceAll(/[%_]/g, "") } : query)),
  },
  {
    fault: "tool results are always searched",
    caughtBy: "tool results are searched only when asked for, hidden replies never",
    mutate: (store) =>
      override(store, { searchMessages: (search) => store.searchMessages({ ...search, includeTools: true }) }),
  },
  {
    fault: "one word of several is enough",
    caughtBy: "a message is found when it holds all words, in any order and case",
    mutate: (store) =>
      override(store, {
        searchMessages: (search) => store.searchMessages({ ...search, words: search.words.slice(0, 1) }),
      }),
  },
  {
    fault: "sums are strings",
    caughtBy: "B117: usage is summed by session, by parent and by tree, as numbers",
    mutate: (store) =>
      override(store, {
        async sumUsage(query) {
          const sums = await store.sumUsage(query);
          return { ...sums, totalTokens: String(sums.totalTokens) as never };
        },
      }),
  },
  {
    fault: "a batch of retention work is as large as it likes",
    caughtBy: "old events go in batches, the head of each log and its version stay",
    mutate: pruning((request) => ({ ...request, limit: 10_000 })),
  },
  {
    fault: "retention does not look at the age",
    caughtBy: "idempotency keys go when they have expired, and not before",
    mutate: pruning((request) => ("before" in request ? { ...request, before: Number.MAX_SAFE_INTEGER } : request)),
  },
  {
    fault: "an index is walked in one direction only",
    caughtBy: "an index is walked in order, both ways, inside its bounds, and a bound excludes null",
    mutate: (store) =>
      override(store, {
        read: (requests) => {
          const ascending = requests.map((request) =>
            "find" in request ? { ...request, descending: false } : request,
          );
          return store.read(ascending as never);
        },
      }),
  },
  {
    fault: "closing closes nothing",
    caughtBy: "after close every call is refused with store_unavailable, and closing again is harmless",
    mutate: (store) => override(store, { close: async () => undefined }),
  },
];
