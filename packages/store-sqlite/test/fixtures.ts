import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  CommittedSession,
  NewMessageRow,
  NewRun,
  NewSession,
  SessionRecord,
  SessionStore,
  SessionWrite,
  StoreTransaction,
} from "@trunkline/core";
import { onTestFinished } from "vitest";
import { createSqliteStore, type SqliteStoreOptions } from "../src/index.ts";

/** A migrated store in memory, closed at the test's end. */
export async function memoryStore(): Promise<SessionStore> {
  const store = await createSqliteStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  await store.migrate();
  return store;
}

/** A directory of this test only, removed at its end. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A migrated store on a file of its own. */
export async function fileStore(
  options: Partial<SqliteStoreOptions> = {},
): Promise<{ store: SessionStore; path: string }> {
  const path = options.path ?? join(await temporaryDirectory(), "store.db");
  const store = await createSqliteStore({ ...options, path });
  onTestFinished(() => store.close());
  await store.migrate();
  return { store, path };
}

export function newSession(id: string, fields: Partial<NewSession> = {}): NewSession {
  return {
    sessionKey: `agent:main:direct:${id}`,
    sessionId: `incarnation-${id}`,
    agentId: "main",
    kind: "other",
    channel: "unknown",
    ...fields,
  };
}

export function message(id: string, content = `text ${id}`, fields: Partial<NewMessageRow> = {}): NewMessageRow {
  return { id, role: "user", class: 0, body: { content }, ...fields };
}

export function run(id: string, fields: Partial<NewRun> = {}): NewRun {
  return {
    id,
    cause: `cause:${id}`,
    kind: "inbound",
    lane: "main",
    priority: 1,
    state: "queued",
    outcome: null,
    deadlineAt: null,
    limitMs: null,
    owner: null,
    fence: 0,
    attempts: 0,
    slotLent: 0,
    inputIds: [],
    startSeq: null,
    replySeq: null,
    endSeq: null,
    replyText: null,
    flowId: null,
    spawnId: null,
    yieldId: null,
    parentRunId: null,
    rootRunId: id,
    chainId: id,
    hop: 0,
    path: [],
    guarded: 0,
    mode: null,
    replyRoute: null,
    successorId: null,
    yieldMarked: 0,
    yieldNote: null,
    causeSessionKey: null,
    errorCode: null,
    error: null,
    model: null,
    usage: null,
    createdAt: 1,
    startedAt: null,
    endedAt: null,
    ...fields,
  };
}

/** Commits one session write and returns its result; fails when it was not committed. */
export async function write(
  store: SessionStore,
  session: SessionWrite,
  rest: Partial<StoreTransaction> = {},
): Promise<CommittedSession> {
  const result = await store.commit({ at: 1000, ...rest, sessions: [session] });
  const written = result.committed ? result.sessions[0] : undefined;
  if (written === undefined) throw new Error("the write was not committed");
  return written;
}

export async function createSessions(store: SessionStore, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await write(store, { id, create: newSession(id) });
}

export async function readSession(store: SessionStore, id: string): Promise<SessionRecord> {
  const [session] = await store.read([{ get: "session", key: id }]);
  if (session === undefined) throw new Error(`no session ${id}`);
  return session;
}

/** A session's rows as `seq:id`, parked ones as `+number:id`, in order. */
export async function transcript(store: SessionStore, id: string): Promise<string[]> {
  const page = await store.readMessages({
    sessionRow: id,
    firstSeq: 1,
    classes: [0, 1, 2],
    from: "oldest",
    limit: 1000,
  });
  return page.messages.map(({ seq, id: row }) => (seq >= 2 ** 52 ? `+${seq - 2 ** 52}:${row}` : `${seq}:${row}`));
}
