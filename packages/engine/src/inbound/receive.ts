import {
  type InboundMessage,
  isChannelOwner,
  queueModeOf,
  type Route,
  routeInbound,
  type SessionRecord,
  TrunklineError,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { hashOf } from "../identifiers.ts";
import { routeHash } from "../outbox/new-delivery.ts";
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

/**
 * Routes an inbound message to its session and admits it with its run in one transaction. Throws `invalid_input` for a
 * blank text, `invalid_key` for an id that no key can hold, `SubmitRefused` (`conflict`) for a key used with another message.
 */
export async function receive(engine: Engine, message: ReceivedMessage): Promise<Received> {
  if (message.text.trim() === "") {
    throw new TrunklineError("invalid_input", "the message has no text", {
      path: "text",
      fix: "Give a text that is not blank.",
    });
  }
  const routed = routeInbound(engine.config, message);
  const { route } = routed;
  const findSession = async () =>
    (await boundSession(engine, route)) ?? (await ensureSession(engine, { ...routed, origin: route }));
  const idempotency = idempotencyOf(message, route);
  const owner = message.isOwner === true || isChannelOwner(engine.config, route.channel, message.senderId);
  if (owner && isOwnerCommand(message.text)) {
    const session = await findSession();
    await runOwnerCommand(engine, { session, text: message.text, route, idempotency });
    return { sessionKey: session.sessionKey };
  }
  return admitMessage(engine, async () => {
    const session = await findSession();
    return {
      sessionId: session.id,
      sessionKey: session.sessionKey,
      text: message.text,
      role: "human",
      provenance: {
        kind: "channel",
        sourceChannel: route.channel,
        ...(message.senderId === undefined ? {} : { senderId: message.senderId }),
      },
      mode: queueModeOf(engine.config, route.channel),
      replyRoute: route,
      contact: route,
      idempotency,
    };
  });
}

/** The session of a child that is bound to the thread a message arrived in. */
async function boundSession(engine: Engine, route: Route): Promise<SessionRecord | undefined> {
  if (route.threadId === undefined) return undefined;
  const [binding] = await engine.store.read([{ get: "binding", key: routeHash(route) }]);
  if (binding?.state !== "bound" || binding.sessionRow === null) return undefined;
  const [session] = await engine.store.read([{ get: "session", key: binding.sessionRow }]);
  return session && session.deletedAt === null ? session : undefined;
}

function idempotencyOf({ idempotencyKey, text, peer, threadId }: ReceivedMessage, route: Route) {
  if (idempotencyKey === undefined) return undefined;
  return {
    scopeHash: hashOf("receive", route.channel, route.accountId ?? null, idempotencyKey),
    fingerprint: hashOf(text, peer.kind, peer.id, threadId ?? null),
  };
}
