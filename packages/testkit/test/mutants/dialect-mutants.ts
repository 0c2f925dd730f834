import type { SessionPatch, SessionRecord, SessionStore, SessionWrite, StoreTransaction } from "@trunkline/core";
import type { Mutant } from "./commit-mutants.ts";
import { override, rewriting, rewritingSessions } from "./override.ts";

const created = (change: (sessionKey: string) => string) =>
  rewritingSessions((write) =>
    write.create ? { ...write, create: { ...write.create, sessionKey: change(write.create.sessionKey) } } : write,
  );

const bmpOnly = (text: string): string => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "?");

const patchedColumns = ["label", "displayName", "model", "thinking", "goal", "sendPolicy", "pinned"] as const;

/** Writes every column of a patched row back, as they were read. */
function wholeRows(store: SessionStore): SessionStore {
  return override(store, {
    async commit(transaction) {
      const sessions: SessionWrite[] = [];
      for (const write of transaction.sessions ?? []) {
        const [row] = write.set ? await store.read([{ get: "session", key: write.id }]) : [];
        const read = row && Object.fromEntries(patchedColumns.map((column) => [column, row[column]]));
        sessions.push(read ? { ...write, set: { ...(read as SessionPatch), ...write.set } } : write);
      }
      return store.commit({ ...transaction, sessions });
    },
  });
}

/** Takes the watches on a session away when it is patched, as a replaced row does that others refer to. */
function replacedRows(store: SessionStore): SessionStore {
  return override(store, {
    async commit(transaction) {
      const removals: NonNullable<StoreTransaction["records"]>[number][] = [];
      for (const write of transaction.sessions ?? []) {
        if (write.set?.label === undefined) continue;
        const [watches] = await store.read([{ find: "watch", index: "target", equals: [write.id], limit: 10 }]);
        removals.push(...watches.map(({ id }) => ({ kind: "watch", key: id, remove: true }) as const));
      }
      return store.commit({ ...transaction, records: [...(transaction.records ?? []), ...removals] });
    },
  });
}

/** Agents are looked for as `like` does it. */
function likeAgents(store: SessionStore): SessionStore {
  const alike = (pattern: string, { agentId }: SessionRecord) =>
    new RegExp(`^${pattern.replaceAll("\\", "\\\\").replaceAll("_", ".").replaceAll("%", ".*")}$`, "i").test(agentId);
  return override(store, {
    async listSessions(query) {
      const patterns = query.scope.agentIds;
      if (patterns === undefined) return store.listSessions(query);
      const rows = await store.listSessions({ ...query, scope: { every: true } });
      return rows.filter((row) => patterns.some((pattern) => alike(pattern, row)));
    },
  });
}

/** The first batch does the work of all. */
function unboundedRemoval(store: SessionStore): SessionStore {
  let owed = 0;
  return override(store, {
    async prune(request) {
      if (owed === 0) owed = (await store.prune({ ...request, limit: 100_000 })).removed;
      const removed = Math.min(owed, request.limit);
      owed -= removed;
      return { removed, more: owed > 0 };
    },
  });
}

/** What databases and their drivers do by themselves, as the field reports tell it. */
export const dialectMutants: readonly Mutant[] = [
  {
    fault: "patches write the whole row",
    caughtBy: "B106: fifty patches of distinct fields at once are all there",
    mutate: wholeRows,
  },
  {
    fault: "a session is removed in one transaction",
    caughtBy:
      "B107: while a session of 1500 messages is removed, a commit elsewhere waits for a batch and not for the whole",
    mutate: unboundedRemoval,
  },
  {
    fault: "keys lose their accents",
    caughtBy: "B109: keys that differ by an accent are two sessions",
    mutate: created((key) => key.normalize("NFD").replaceAll(/\p{M}/gu, "")),
  },
  {
    fault: "keys hold no characters of four bytes",
    caughtBy: "B114: keys that differ by an emoji are two sessions",
    mutate: created(bmpOnly),
  },
  {
    fault: "labels hold no characters of four bytes",
    caughtBy: "B114: emoji, arrows and rare ideographs are kept and found in a key, a label and a body",
    mutate: rewritingSessions((write) =>
      write.create?.fields?.label
        ? {
            ...write,
            create: { ...write.create, fields: { ...write.create.fields, label: bmpOnly(write.create.fields.label) } },
          }
        : write,
    ),
  },
  {
    fault: "keys that are too long are cut",
    caughtBy: "B115: a key of 512 bytes is stored, one more is refused with store_too_large before the write",
    mutate: created((key) => Buffer.from(key).subarray(0, 511).toString()),
  },
  {
    fault: "counts are strings",
    caughtBy: "B117: times, sequence numbers and counts of other rows and pages are numbers",
    mutate: (store) =>
      override(store, {
        async readMessages(query) {
          const page = await store.readMessages(query);
          return page.total === undefined ? page : { ...page, total: String(page.total) as never };
        },
      }),
  },
  {
    fault: "a signal that would be too long is not sent",
    caughtBy: "B118: a commit of one handle wakes a listener of the other, a large one too",
    mutate: rewriting((transaction) =>
      JSON.stringify(transaction).length < 8000 ? transaction : { ...transaction, hints: [] },
    ),
  },
  {
    fault: "agents are matched by pattern",
    caughtBy: "B119: percent, underscore and case of an agent's id are letters in a scope and in a filter",
    mutate: likeAgents,
  },
  {
    fault: "a patch is an activity",
    caughtBy:
      "B120: patching changes what it names: not createdAt, updatedAt or the key, and no row that belongs to the session",
    mutate: rewriting((transaction) => ({
      ...transaction,
      sessions: (transaction.sessions ?? []).map((write) =>
        write.set ? { ...write, set: { ...write.set, updatedAt: transaction.at } } : write,
      ),
    })),
  },
  {
    fault: "a patched row is replaced",
    caughtBy:
      "B120: patching changes what it names: not createdAt, updatedAt or the key, and no row that belongs to the session",
    mutate: replacedRows,
  },
  {
    fault: "a page begins with the last row of the one before",
    caughtBy: "B122: 205 messages of one moment are paged out once each, by offset, and by number while one is added",
    mutate: (store) =>
      override(store, {
        readMessages: (query) =>
          store.readMessages(query.beyondSeq === undefined ? query : { ...query, beyondSeq: query.beyondSeq + 1 }),
      }),
  },
  {
    fault: "a limit keeps the oldest",
    caughtBy: "B123: pinned sessions come first, then the newest; a limit keeps these",
    mutate: (store) =>
      override(store, {
        listSessions: async (query) => (await store.listSessions({ ...query, limit: 1000 })).slice(-query.limit),
      }),
  },
  {
    fault: "a turn is ordered by time",
    caughtBy: "B124: a clock that steps back within a turn leaves a tool's result behind its call, on every page",
    mutate: (store) =>
      override(store, {
        async readMessages(query) {
          const page = await store.readMessages(query);
          return { ...page, messages: page.messages.toSorted((a, b) => a.createdAt - b.createdAt) };
        },
      }),
  },
];
