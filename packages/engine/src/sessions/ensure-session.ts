import {
  classifySession,
  isSandboxedByConfig,
  type NewSession,
  parseSessionKey,
  type Route,
  routeFromKey,
  type SessionPatch,
  type SessionRecord,
} from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId, newOpaqueId } from "../identifiers.ts";
import { createDraft, type SessionDraft, type TransactionDraft } from "../transaction-draft.ts";

export interface SessionSeed {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly parent?: SessionRecord;
  /** Where the first message came from. */
  readonly origin?: Route;
  readonly fields?: SessionPatch;
}

/** The session with this key, made if there is none. */
export async function ensureSession(engine: Engine, seed: SessionSeed): Promise<SessionRecord> {
  const id = newId();
  await decide<void>(engine, async () => {
    const found = await findByKey(engine, seed.sessionKey);
    if (found) return { answer: undefined };
    const draft = createDraft();
    addSession(engine, draft, id, seed);
    return { commit: draft, answer: undefined };
  });
  const session = await findByKey(engine, seed.sessionKey);
  return session ?? ensureSession(engine, seed);
}

/** The living session with this canonical key. */
export async function findByKey(engine: Engine, sessionKey: string): Promise<SessionRecord | undefined> {
  const [found] = await engine.store.read([byKeyRead(sessionKey)]);
  return found[0];
}

/** Reads the living session with this canonical key; goes with other reads. */
export function byKeyRead(sessionKey: string) {
  return { find: "session", index: "sessionKey", equals: [sessionKey], limit: 1 } as const;
}

/** Adds a new session to a transaction; its first state event is `created`. */
export function addSession(engine: Engine, draft: TransactionDraft, id: string, seed: SessionSeed): SessionDraft {
  const session = newSession(engine, seed);
  draft.event({
    type: "session_created",
    at: engine.clock.now(),
    sessionKey: seed.sessionKey,
    agentId: seed.agentId,
    ...(seed.parent ? { parentSessionKey: seed.parent.sessionKey } : {}),
    ...(session.fields?.label ? { label: session.fields.label } : {}),
  });
  return draft
    .session(id)
    .create(session)
    .log({ kind: "created", actorKind: "system", actorId: null, data: {}, actorRow: id });
}

function newSession(engine: Engine, seed: SessionSeed): NewSession {
  const kind = classifySession(seed.sessionKey, { mainKey: engine.config.session.mainKey });
  const parsed = parseSessionKey(seed.sessionKey);
  const named = routeFromKey(parsed);
  const sandboxed = isSandboxedByConfig(engine.config, seed.agentId, kind === "main");
  return {
    sessionKey: seed.sessionKey,
    sessionId: newOpaqueId(),
    agentId: seed.agentId,
    kind,
    channel: firstChannel(kind, named, seed),
    ...(seed.parent ? { parentId: seed.parent.id } : {}),
    fields: {
      sandboxed: sandboxed ? 1 : 0,
      updatedAt: engine.clock.now(),
      ...(seed.origin ? { origin: seed.origin } : {}),
      ...seed.fields,
    },
  };
}

function firstChannel(kind: SessionRecord["kind"], named: Route | undefined, seed: SessionSeed): string {
  if (named) return named.channel;
  if (seed.origin) return seed.origin.channel;
  return kind === "cron" || kind === "hook" || kind === "node" ? "internal" : "unknown";
}
