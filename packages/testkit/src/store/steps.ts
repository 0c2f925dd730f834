import { ok } from "node:assert/strict";
import type {
  CommitResult,
  MessageQuery,
  MessageRecord,
  NewRun,
  NewSession,
  ReadableKind,
  ReadableRecords,
  ReadRequest,
  RunReference,
  SessionListQuery,
  SessionRecord,
  SessionStore,
  SessionWrite,
  StoreTransaction,
} from "@trunkline/core";
import { messageRow, newId, runRow, sessionRow, start } from "./rows.ts";

export type Committed = Extract<CommitResult, { readonly committed: true }>;
export type Writes = Omit<StoreTransaction, "at"> & { readonly at?: number };

/** Commits, and fails the case where the store refuses. */
export async function commit(store: SessionStore, writes: Writes, why = "the commit holds"): Promise<Committed> {
  const result = await store.commit({ at: start, ...writes });
  ok(result.committed, `${why}, but the store did not commit it`);
  return result;
}

/** Commits, and fails the case where the store does not refuse; compares what `watched` sessions hold before and after. */
export async function refuse(store: SessionStore, writes: Writes, why: string): Promise<void> {
  const result = await store.commit({ at: start, ...writes });
  ok(!result.committed, `${why}, but the store committed it`);
}

/** Commits one session write. */
export const write = (store: SessionStore, session: SessionWrite, at = start): Promise<Committed> =>
  commit(store, { at, sessions: [session] });

/** Makes a session and returns its row id. */
export async function createSession(store: SessionStore, over: Partial<NewSession> = {}, at = start): Promise<string> {
  const id = newId();
  await write(store, { id, create: sessionRow(over) }, at);
  return id;
}

export async function get<K extends ReadableKind>(
  store: SessionStore,
  kind: K,
  key: string,
): Promise<ReadableRecords[K] | undefined> {
  const [row] = await store.read([{ get: kind, key } as Extract<ReadRequest, { readonly get: K }>]);
  return row as ReadableRecords[K] | undefined;
}

/** Reads a row that must be there. */
export async function need<K extends ReadableKind>(
  store: SessionStore,
  kind: K,
  key: string,
): Promise<ReadableRecords[K]> {
  const row = await get(store, kind, key);
  ok(row, `no ${kind} ${key}`);
  return row;
}

/** Appends texts from outside, in one commit. */
export const say = (store: SessionStore, id: string, texts: readonly string[], at = start): Promise<Committed> =>
  write(store, { id, append: [{ from: "outside", messages: texts.map((text) => messageRow(text)) }] }, at);

/** All rows of a session, tool results, hidden and parked ones too, in order. */
export async function transcript(
  store: SessionStore,
  id: string,
  over: Partial<MessageQuery> = {},
): Promise<readonly MessageRecord[]> {
  const query: MessageQuery = {
    sessionRow: id,
    firstSeq: 0,
    classes: [0, 1, 2],
    from: "oldest",
    limit: 10_000,
    ...over,
  };
  return (await store.readMessages(query)).messages;
}

export const texts = (messages: readonly MessageRecord[]): readonly unknown[] =>
  messages.map((message) => message.body.content);

/** Queues runs, each with its own input when `input` is given, and returns the runs. */
export async function queue(
  store: SessionStore,
  id: string,
  input: string,
  over: Partial<NewRun> = {},
  at = start,
): Promise<NewRun> {
  const message = messageRow(input);
  const run = runRow({ inputIds: [message.id], ...over });
  await write(store, { id, append: [{ from: "outside", messages: [message] }], enqueue: [run] }, at);
  return run;
}

/** The write that gives a session's lane to a queued run, as a claim does. */
export function claimOf(id: string, run: RunReference): Writes {
  return {
    sessions: [{ id, lane: { take: run }, add: { queuedRuns: -1 } }],
    records: [
      {
        kind: "run",
        key: run.id,
        when: { state: "queued", fence: run.fence - 1 },
        set: { state: "claimed", fence: run.fence, claimableAt: null, owner: null },
      },
    ],
  };
}

/** Claims and starts a run: the lane is taken and its input joins the sequence. */
export async function startRun(store: SessionStore, id: string, run: { readonly id: string }): Promise<RunReference> {
  const reference = { id: run.id, fence: 1 };
  await commit(store, claimOf(id, reference));
  const { inputThrough } = await need(store, "run", run.id);
  await commit(store, {
    sessions: [{ id, when: { activeRun: reference }, unpark: { through: inputThrough } }],
    records: [{ kind: "run", key: run.id, when: { state: "claimed" }, set: { state: "running" } }],
  });
  return reference;
}

/** The write that ends a run and frees its lane. */
export function endOf(id: string, run: RunReference, session: Omit<SessionWrite, "id" | "lane"> = {}): Writes {
  return {
    sessions: [{ id, lane: { free: run }, ...session }],
    records: [
      {
        kind: "run",
        key: run.id,
        when: { fence: run.fence },
        set: { state: "ok", outcome: "success", endedAt: start },
      },
    ],
  };
}

export const list = (store: SessionStore, over: Partial<SessionListQuery> = {}): Promise<readonly SessionRecord[]> =>
  store.listSessions({ scope: { every: true }, archived: false, limit: 1000, ...over });

/** Everything that a refused commit must leave as it was. */
export async function digest(store: SessionStore, ids: readonly string[]): Promise<string> {
  const parts: unknown[] = [];
  for (const id of ids) {
    parts.push(
      await store.read([
        { get: "session", key: id },
        { find: "run", index: "runNo", equals: [id], limit: 1000 },
        { find: "stateEvent", index: "version", equals: [id], limit: 1000 },
        { find: "delivery", index: "session", equals: [id], limit: 1000 },
        { find: "lineage", index: "descendant", equals: [id], limit: 1000 },
        { find: "epoch", index: "session", equals: [id], limit: 1000 },
        { find: "watch", index: "target", equals: [id], limit: 1000 },
      ]),
      await transcript(store, id),
    );
  }
  return JSON.stringify(parts);
}
