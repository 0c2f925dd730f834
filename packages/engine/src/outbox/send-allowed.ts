import { chatTypeOf, parseSessionKey, type Route, type SessionRecord, sendDecision } from "@trunkline/core";
import type { Engine } from "../engine.ts";

/** The send policy for one session and route: asked in front of the deliverers, for everything that leaves through one. */
export function isSendAllowed(engine: Engine, session: SessionRecord, route: Route): boolean {
  const { sessionKey, sendPolicy } = session;
  return sendDecision(engine.config, {
    ...(sendPolicy === null ? {} : { override: sendPolicy }),
    channel: route.channel,
    chatType: chatTypeOf(parseSessionKey(sessionKey)),
    sessionKey,
  }).allowed;
}
