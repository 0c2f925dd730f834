import {
  agentIdFromKey,
  canonicalSessionKey,
  chatTypeOf,
  defaultAgentId,
  hasThreadPart,
  isConfiguredAgent,
  parseSessionKey,
  routeFromKey,
  type SessionRecord,
  sendDecision,
  TrunklineError,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { hashOf } from "../identifiers.ts";
import { announceRoute } from "../outbox/session-route.ts";
import { type Admission, admitMessage } from "../runs/admit-message.ts";
import { ensureSession, findByKey } from "../sessions/ensure-session.ts";
import { SubmitRefused } from "./submit-refused.ts";

export interface Submission {
  readonly sessionKey: string;
  /** The owner of a bare `cron:`, `hook:` or `node-` key when its session is made. */
  readonly agentId?: string;
  readonly text: string;
  /** `human` (default): an operator's message; `system`: a job's. */
  readonly actor?: "human" | "system";
  /** Also post the answer to the session's route. */
  readonly deliver?: boolean;
  readonly idempotencyKey?: string;
}

/**
 * A message from the host into a session: an operator, a cron job, a hook, a node.
 * Throws `invalid_input` for a blank text or a session that may not be made by it, `SubmitRefused` (code `send_denied`,
 * `conflict`, `not_found`) where it is refused; then nothing was written.
 */
export async function submit(engine: Engine, submission: Submission): Promise<{ runId: string; sessionKey: string }> {
  if (submission.text.trim() === "") {
    throw new TrunklineError("invalid_input", "the message has no text", {
      path: "text",
      fix: "Give a text that is not blank.",
    });
  }
  const sessionKey = canonicalSessionKey(submission.sessionKey, { mainKey: engine.config.session.mainKey });
  checkAgent(sessionKey, submission.agentId);
  return admitMessage(engine, () => prepare(engine, sessionKey, submission));
}

async function prepare(engine: Engine, sessionKey: string, submission: Submission): Promise<Admission> {
  const { text, actor, deliver, idempotencyKey } = submission;
  const known = await findByKey(engine, sessionKey);
  const replyRoute = deliver ? deliveryRoute(engine, sessionKey, known) : null;
  const session = known ?? (await makeSession(engine, sessionKey, submission.agentId));
  return {
    sessionId: session.id,
    sessionKey,
    text,
    role: actor === "system" ? "system" : "human",
    provenance: { kind: provenanceKind(session, actor) },
    mode: "followup",
    replyRoute,
    contact: null,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : {
            scopeHash: hashOf("submit", session.id, idempotencyKey),
            fingerprint: hashOf(text, actor ?? "human", deliver ?? false),
          },
  };
}

async function makeSession(engine: Engine, sessionKey: string, agentId: string | undefined): Promise<SessionRecord> {
  const { shape } = parseSessionKey(sessionKey);
  const named = agentIdFromKey(sessionKey);
  const owner = named ?? agentId ?? defaultAgentId(engine.config);
  const missing = shape === "subagent" || shape === "acp" || hasThreadPart(sessionKey);
  if (missing || !isConfiguredAgent(engine.config, owner)) {
    throw new TrunklineError("invalid_input", `no session "${sessionKey}", and a message does not make one`, {
      path: "sessionKey",
      fix: "Give the key of an existing session, or of a session of a configured agent.",
    });
  }
  return ensureSession(engine, { sessionKey, agentId: owner });
}

function checkAgent(sessionKey: string, agentId: string | undefined): void {
  const named = agentIdFromKey(sessionKey);
  if (named === undefined || agentId === undefined || agentId.trim().toLowerCase() === named) return;
  throw new TrunklineError("invalid_input", `agentId "${agentId}" is not the agent of the session key`, {
    path: "agentId",
    fix: "Leave agentId out, or give the agent that the session key names.",
  });
}

/** Asked before the session is made: a message that is refused leaves nothing behind. */
function deliveryRoute(engine: Engine, sessionKey: string, session: SessionRecord | undefined) {
  const parsed = parseSessionKey(sessionKey);
  const route = session ? announceRoute(session) : routeFromKey(parsed);
  if (!route) return null;
  const override = session?.sendPolicy ?? null;
  const { allowed } = sendDecision(engine.config, {
    ...(override === null ? {} : { override }),
    channel: route.channel,
    chatType: chatTypeOf(parsed),
    sessionKey,
  });
  if (!allowed) {
    throw new SubmitRefused(
      "send_denied",
      "The send policy does not let this session post, and the message asks for delivery",
    );
  }
  return route;
}

function provenanceKind(session: SessionRecord, actor: Submission["actor"]) {
  if (session.kind === "cron" || session.kind === "hook" || session.kind === "node") return session.kind;
  return actor === "system" ? "operator" : "human";
}
