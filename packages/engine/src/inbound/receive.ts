import {
  type InboundMessage,
  isChannelOwner,
  parseSessionKey,
  queueModeOf,
  type Route,
  routeInbound,
  type SessionRecord,
  TrunklineError,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { hashOf } from "../identifiers.ts";
import { routeHash } from "../outbox/new-delivery.ts";
import { isInternalChannel } from "../outbox/session-route.ts";
import { admitMessage } from "../runs/admit-message.ts";
import { ensureSession } from "../sessions/ensure-session.ts";
import { isOwnerCommand, runOwnerCommand } from "./owner-command.ts";

/** A message from a channel, as `trunkline.receive` takes it. */
export interface ReceivedMessage extends InboundMessage {
  readonly channel: string;
}

export interface Received {
  /** Absent where the message was an owner's command and started no run. */
  readonly runId?: string;
  readonly sessionKey: string;
}

/** Routes an inbound message to its session and admits it with its run in one transaction. */
export async function receive(engine: Engine, message: ReceivedMessage): Promise<Received> {
  if (message.text.trim() === "") {
    throw new TrunklineError("invalid_input", "the message has no text", {
      path: "text",
      fix: "Give a text that is not blank.",
    });
  }
  const routed = routeInbound(engine.config, message);
  const bound = await boundSession(engine, routed.route);
  const session = bound ?? (await ensureSession(engine, { ...routed, origin: routed.route }));
  const owner = message.isOwner === true || isChannelOwner(engine.config, routed.route.channel, message.senderId);
  if (owner && isOwnerCommand(message.text)) {
    await runOwnerCommand(engine, session, message.text, routed.route);
    return { sessionKey: session.sessionKey };
  }
  const mode = queueModeOf(engine.config, routed.route.channel);
  const { runId } = await admitMessage(engine, {
    sessionId: session.id,
    text: message.text,
    role: "human",
    provenance: {
      kind: "channel",
      sourceChannel: routed.route.channel,
      ...(message.senderId === undefined ? {} : { senderId: message.senderId }),
    },
    mode,
    replyRoute: routed.route,
    contact: contactOf(session, routed.route),
    idempotency: idempotencyOf(message, routed.route),
  });
  return { runId, sessionKey: session.sessionKey };
}

/** The session of a child that is bound to the thread a message arrived in. */
async function boundSession(engine: Engine, route: Route): Promise<SessionRecord | undefined> {
  if (route.threadId === undefined) return undefined;
  const [binding] = await engine.store.read([{ get: "binding", key: routeHash(route) }]);
  if (binding?.state !== "bound" || binding.sessionRow === null) return undefined;
  const [session] = await engine.store.read([{ get: "session", key: binding.sessionRow }]);
  return session && session.deletedAt === null ? session : undefined;
}

/** What an inbound message changes of a session's route: internal surfaces never replace an external one. */
function contactOf(session: SessionRecord, route: Route) {
  const external = session.route !== null && !isInternalChannel(session.route.channel);
  if (isInternalChannel(route.channel) && (external || namesChannel(session))) return {};
  return {
    route,
    lastChannel: route.channel,
    lastTo: route.to,
    lastAccount: route.accountId ?? null,
    ...(session.kind === "main" || session.kind === "other" ? { channel: route.channel } : {}),
    ...(session.origin ? {} : { origin: route }),
  };
}

function namesChannel(session: SessionRecord): boolean {
  const parsed = parseSessionKey(session.sessionKey);
  return "channel" in parsed && parsed.channel !== undefined;
}

function idempotencyOf({ idempotencyKey, text, peer, threadId }: ReceivedMessage, route: Route) {
  if (idempotencyKey === undefined) return undefined;
  return {
    scopeHash: hashOf("receive", route.channel, route.accountId ?? null, idempotencyKey),
    fingerprint: hashOf(text, peer.kind, peer.id, threadId ?? null),
  };
}
