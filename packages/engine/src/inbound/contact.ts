import { parseSessionKey, type Route, type SessionPatch, type SessionRecord } from "@trunkline/core";
import { isInternalChannel } from "../outbox/session-route.ts";

/** What an inbound message changes of a session's route: internal surfaces never replace an external one. */
export function contactPatch(session: SessionRecord, route: Route): SessionPatch {
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
