import {
  type NewMessageRow,
  type NewSession,
  type SessionRecord,
  type SessionStore,
  TrunklineError,
} from "@trunkline/core";

export function newSession(id: string): NewSession {
  return {
    sessionKey: `agent:main:direct:${id}`,
    sessionId: `incarnation-${id}`,
    agentId: "main",
    kind: "other",
    channel: "unknown",
  };
}

export async function createSession(store: SessionStore, id: string): Promise<void> {
  const result = await store.commit({ at: 1, sessions: [{ id, create: newSession(id) }] });
  if (!result.committed) throw new Error(`the session ${id} exists`);
}

export function message(id: string, content = `text ${id}`): NewMessageRow {
  return { id, role: "user", class: 0, body: { content } };
}

/** Appends messages from outside and fails when the store refuses. */
export async function append(
  store: SessionStore,
  session: string,
  ...messages: readonly NewMessageRow[]
): Promise<void> {
  const result = await store.commit({ at: 2, sessions: [{ id: session, append: [{ from: "outside", messages }] }] });
  if (!result.committed) throw new Error("a plain append was refused");
}

/** A transcript as `seq:id`, in order. */
export async function transcript(store: SessionStore, session: string): Promise<readonly string[]> {
  const { messages } = await store.readMessages({
    sessionRow: session,
    firstSeq: 1,
    classes: [0, 1, 2],
    from: "oldest",
    limit: 10_000,
  });
  return messages.map(({ seq, id }) => `${seq}:${id}`);
}

export async function readSession(store: SessionStore, id: string): Promise<SessionRecord> {
  const [session] = await store.read([{ get: "session", key: id }]);
  if (session === undefined) throw new Error(`no session ${id}`);
  return session;
}

/** The error that the work rejects with. */
export async function failure(work: Promise<unknown>): Promise<TrunklineError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!TrunklineError.isInstance(error)) throw new Error(`expected a TrunklineError, got ${error}`);
  return error;
}
