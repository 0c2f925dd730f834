import {
  agentIdFromKey,
  canonicalSessionKey,
  chatTypeOf,
  defaultAgentId,
  hasThreadPart,
  isConfiguredAgent,
  parseSessionKey,
  type SessionRecord,
  sendDecision,
  TrunklineError,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { hashOf } from "../identifiers.ts";
import { announceRoute } from "../outbox/session-route.ts";
import { admitMessage } from "../runs/admit-message.ts";
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
 * `archived`, `conflict`) where it is refused.
 */
export async function submit(engine: Engine, submission: Submission): Promise<{ runId: string; sessionKey: string }> {
  if (submission.text.trim() === "") {
    throw new TrunklineError("invalid_input", "the message has no text", {
      path: "text",
      fix: "Give a text that is not blank.",
    });
  }
  const sessionKey = canonicalSessionKey(submission.sessionKey, { mainKey: engine.config.session.mainKey });
  const session = (await findByKey(engine, sessionKey)) ?? (await makeSession(engine, sessionKey, submission.agentId));
  const replyRoute = submission.deliver ? deliveryRoute(engine, session) : null;
  const { runId } = await admitMessage(engine, {
    sessionId: session.id,
    text: submission.text,
    role: submission.actor === "system" ? "system" : "human",
    provenance: { kind: provenanceKind(session, submission.actor) },
    mode: "followup",
    replyRoute,
    contact: {},
    idempotency:
      submission.idempotencyKey === undefined
        ? undefined
        : {
            scopeHash: hashOf("submit", session.id, submission.idempotencyKey),
            fingerprint: hashOf(submission.text, submission.actor ?? "human", submission.deliver ?? false),
          },
  });
  return { runId, sessionKey };
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

function deliveryRoute(engine: Engine, session: SessionRecord) {
  const route = announceRoute(session);
  if (!route) return null;
  const { allowed } = sendDecision(engine.config, {
    ...(session.sendPolicy === null ? {} : { override: session.sendPolicy }),
    channel: route.channel,
    chatType: chatTypeOf(parseSessionKey(session.sessionKey)),
    sessionKey: session.sessionKey,
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
