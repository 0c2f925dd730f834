import { parseSessionKey, type Route, routeFromKey, type SessionRecord } from "@trunkline/core";

/** Channels inside this installation: they never replace a stored route to an outside one. */
export function isInternalChannel(channel: string): boolean {
  return channel === "webchat" || channel === "internal";
}

/** Where an announce of a session goes: the route its key names, with the stored account and thread, else the stored route. */
export function announceRoute(session: SessionRecord): Route | undefined {
  const named = routeFromKey(parseSessionKey(session.sessionKey));
  const stored = storedRoute(session);
  if (!named) return stored;
  const same = stored && stored.channel === named.channel && stored.to === named.to;
  return same ? { ...stored, ...named } : named;
}

/** A session's stored route, missing fields filled from its last contact on the same channel and account. */
export function storedRoute(session: SessionRecord): Route | undefined {
  const { route, lastChannel, lastTo, lastAccount } = session;
  if (!route)
    return lastChannel === null || lastTo === null ? undefined : withAccount(lastChannel, lastTo, lastAccount);
  if (route.accountId === undefined && lastAccount !== null && lastChannel === route.channel && lastTo === route.to) {
    return { ...route, accountId: lastAccount };
  }
  return route;
}

/** Where a child's completion goes: a bound thread, the route of the run that spawned it, else the requester's own. */
export function completionRoute(
  requester: SessionRecord,
  bound: Route | null,
  origin: Route | null,
): Route | undefined {
  return bound ?? origin ?? storedRoute(requester) ?? announceRoute(requester);
}

function withAccount(channel: string, to: string, accountId: string | null): Route {
  return { channel, to, ...(accountId === null ? {} : { accountId }) };
}
