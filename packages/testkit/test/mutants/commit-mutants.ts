import type { MessageContent, NewMessageRow, SessionStore, SessionWrite } from "@trunkline/core";
import { override, rewriting, rewritingRecords, rewritingSessions, without } from "./override.ts";

/** A store with one fault, and the case that has to find it. */
export interface Mutant {
  readonly fault: string;
  readonly caughtBy: string;
  readonly mutate: (store: SessionStore) => SessionStore;
}

const messages = (change: (message: NewMessageRow) => NewMessageRow) =>
  rewritingSessions((write) =>
    write.append
      ? { ...write, append: write.append.map((group) => ({ ...group, messages: group.messages.map(change) })) }
      : write,
  );

const contents = (change: (text: string) => MessageContent) =>
  messages((message) =>
    typeof message.body.content === "string"
      ? { ...message, body: { ...message.body, content: change(message.body.content) } }
      : message,
  );

const lowerKey = (write: SessionWrite): SessionWrite =>
  write.create ? { ...write, create: { ...write.create, sessionKey: write.create.sessionKey.toLowerCase() } } : write;

/** Reads a row's counters and writes the sums back, as if nobody else wrote meanwhile. */
function readModifyWrite(store: SessionStore): SessionStore {
  return override(store, {
    async commit(transaction) {
      const sessions: SessionWrite[] = [];
      for (const write of transaction.sessions ?? []) {
        const [row] = await store.read([{ get: "session", key: write.id }]);
        const total = (row?.totalTokens ?? 0) + (write.add?.totalTokens ?? 0);
        sessions.push(write.add ? { ...without(write, "add"), set: { ...write.set, totalTokens: total } } : write);
      }
      return store.commit({ ...transaction, sessions });
    },
  });
}

export const commitMutants: readonly Mutant[] = [
  {
    fault: "guards of sessions are not looked at",
    caughtBy: "the guard sessionId lets a commit through while it holds, and refuses it after",
    mutate: rewritingSessions((write) => without(write, "when")),
  },
  {
    fault: "the fence of the active run is not looked at",
    caughtBy: "the guard activeRun names the run and its fence",
    mutate: (store) =>
      override(store, {
        async commit(transaction) {
          const sessions: SessionWrite[] = [];
          for (const write of transaction.sessions ?? []) {
            const [row] = await store.read([{ get: "session", key: write.id }]);
            const run = write.when?.activeRun;
            sessions.push(
              run ? { ...write, when: { activeRun: { id: run.id, fence: row?.activeFence ?? 0 } } } : write,
            );
          }
          return store.commit({ ...transaction, sessions });
        },
      }),
  },
  {
    fault: "a lane is handed over without asking whether it is free",
    caughtBy: "a lane is taken once",
    mutate: (store) =>
      override(store, {
        async commit(transaction) {
          for (const write of transaction.sessions ?? []) {
            const [row] = await store.read([{ get: "session", key: write.id }]);
            if (write.lane && "take" in write.lane && row?.activeRunId)
              await store.commit({
                at: transaction.at,
                sessions: [{ id: write.id, lane: { free: { id: row.activeRunId, fence: row.activeFence } } }],
              });
          }
          return store.commit(transaction);
        },
      }),
  },
  {
    fault: "rows from outside are never parked",
    caughtBy: "a row from outside is parked while a run is active, and shows at the tail",
    mutate: rewritingSessions((write) =>
      write.append ? { ...write, append: write.append.map((group) => ({ ...group, from: "run" as const })) } : write,
    ),
  },
  {
    fault: "everything that waits is unparked, whoever starts",
    caughtBy: "a queued run's start takes in the rows up to its own input, in arrival order, and no later one",
    mutate: rewritingSessions((write) =>
      write.unpark ? { ...write, unpark: { through: Number.MAX_SAFE_INTEGER } } : write,
    ),
  },
  {
    fault: "a run's start takes in what it must not",
    caughtBy: "lane, queue, parking and transcript agree with a model after each of 150 random steps (seed 1)",
    mutate: rewritingSessions((write) =>
      write.unpark ? { ...write, unpark: { through: Number.MAX_SAFE_INTEGER } } : write,
    ),
  },
  {
    fault: "the rows of one commit are written in reverse",
    caughtBy: "B121: twenty rows of one commit and one timestamp keep their order",
    mutate: rewritingSessions((write) =>
      write.append
        ? { ...write, append: write.append.map((group) => ({ ...group, messages: group.messages.toReversed() })) }
        : write,
    ),
  },
  {
    fault: "queued runs are numbered in reverse",
    caughtBy: "runs are numbered in the order of their commits and, inside one, of the list",
    mutate: rewritingSessions((write) => (write.enqueue ? { ...write, enqueue: write.enqueue.toReversed() } : write)),
  },
  {
    fault: "keys are folded to lower case",
    caughtBy: "B109: keys that differ by case are two sessions",
    mutate: rewritingSessions(lowerKey),
  },
  {
    fault: "keys are trimmed",
    caughtBy: "B110: keys that differ by a trailing space are two sessions",
    mutate: rewritingSessions((write) =>
      write.create ? { ...write, create: { ...write.create, sessionKey: write.create.sessionKey.trim() } } : write,
    ),
  },
  {
    fault: "causes are not unique",
    caughtBy: "a second run of one cause is refused, with everything beside it",
    mutate: rewritingSessions((write) =>
      write.enqueue
        ? { ...write, enqueue: write.enqueue.map((run) => ({ ...run, cause: `${run.cause} ${Math.random()}` })) }
        : write,
    ),
  },
  {
    fault: "dedupe keys are not kept",
    caughtBy: "a row with a dedupe key exists once in its session, parked or not, and may exist in another",
    mutate: messages((message) => without(message, "dedupeKey")),
  },
  {
    fault: "clearing a value leaves it",
    caughtBy: "setting a value to null clears it, and columns that were not named keep theirs",
    mutate: rewritingSessions((write) =>
      write.set
        ? { ...write, set: Object.fromEntries(Object.entries(write.set).filter(([, value]) => value !== null)) }
        : write,
    ),
  },
  {
    fault: "the family version stands still",
    caughtBy: "every write of a session moves its version, touchFamily its family version",
    mutate: rewritingSessions((write) => without(write, "touchFamily")),
  },
  {
    fault: "a copy takes the whole transcript",
    caughtBy: "a copy takes the current transcript up to a number, with new ids, and leaves the source alone",
    mutate: rewritingSessions((write) =>
      write.copy ? { ...write, copy: { ...write.copy, throughSeq: write.copy.throughSeq + 1 } } : write,
    ),
  },
  {
    fault: "a watcher is told of its own change",
    caughtBy: "a watcher's own change moves the watches of all others and not its own",
    mutate: rewritingSessions((write) =>
      write.events ? { ...write, events: write.events.map((event) => without(event, "actorRow")) } : write,
    ),
  },
  {
    fault: "guards of records are not looked at",
    caughtBy: "a guard of equality, of null, of any of several values and of a bound",
    mutate: rewritingRecords((write) => without(write, "when")),
  },
  {
    fault: "every record write is optional",
    caughtBy: "a guard protects a removal as it protects a change",
    mutate: rewritingRecords((write) => ("insert" in write ? write : { ...write, optional: true })),
  },
  {
    fault: "an optional write that does not match refuses the commit",
    caughtBy: "an optional write that does not match leaves the row alone and the commit whole",
    mutate: rewritingRecords((write) => ("insert" in write ? write : without(write, "optional"))),
  },
  {
    fault: "counters have no limit",
    caughtBy: "of twenty reservations under a limit of five, five hold",
    mutate: rewriting((transaction) => ({
      ...transaction,
      counters: (transaction.counters ?? []).map((counter) => without(counter, "atMost")),
    })),
  },
  {
    fault: "sessions are written before the records are checked",
    caughtBy: "a last record that fails leaves nothing of a commit that writes everything",
    mutate: (store) =>
      override(store, {
        async commit({ records = [], counters = [], hints = [], ...first }) {
          const result = await store.commit(first);
          if (!result.committed) return result;
          const rest = await store.commit({ at: first.at, records, counters, hints });
          return rest.committed ? result : rest;
        },
      }),
  },
  {
    fault: "a refusal is reported as a commit",
    caughtBy: "an existing key refuses the commit",
    mutate: (store) =>
      override(store, {
        async commit(transaction) {
          const result = await store.commit(transaction);
          return result.committed ? result : { committed: true, sessions: [] };
        },
      }),
  },
  {
    fault: "additions read first and write after",
    caughtBy: "B106: fifty additions at once give the exact sum, on a session and on a record",
    mutate: readModifyWrite,
  },
  {
    fault: "texts are cut at 65 535 units",
    caughtBy: "B113: messages of 70 kB, 1 MB and 15 MB read back whole, in pages too",
    mutate: contents((text) => text.slice(0, 65_535)),
  },
  {
    fault: "the escape of NUL is taken for NUL",
    caughtBy: "B116: hostile text reads back as written, NUL and lone surrogates as U+FFFD",
    mutate: contents((text) => text.replaceAll("\\u0000", "\ufffd")),
  },
  {
    fault: "texts are trimmed",
    caughtBy: "B116: hostile text reads back as written, NUL and lone surrogates as U+FFFD",
    mutate: contents((text) => text.trim()),
  },
  {
    fault: "text that looks like JSON is decoded",
    caughtBy: "B111: a string that looks like JSON stays a string",
    mutate: contents((text) => (text.startsWith("[") ? JSON.parse(text) : text)),
  },
  {
    fault: "hints are dropped",
    caughtBy: "a commit's hints reach this handle's listeners once it holds",
    mutate: rewriting((transaction) => without(transaction, "hints")),
  },
  {
    fault: "hints of refused commits are published",
    caughtBy: "a refused commit gives no hint",
    mutate: (store) => {
      const listeners: Parameters<SessionStore["subscribe"]>[0][] = [];
      return override(store, {
        subscribe(listener) {
          listeners.push(listener);
          return store.subscribe(listener);
        },
        commit(transaction) {
          for (const listener of listeners) listener(transaction.hints ?? []);
          return store.commit(transaction);
        },
      });
    },
  },
];
