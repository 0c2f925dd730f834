import { defaultAgentId } from "../config/resolve-agent.ts";
import type { TrunklineConfig } from "../config/trunkline-config.ts";
import type { Route } from "../delivery/route.ts";
import { formatSessionKey, type ParsedSessionKey, type ThreadPart } from "./session-key.ts";

/** Where a message came from. */
export interface InboundSource {
  readonly channel: string;
  readonly peer: { readonly kind: "direct" | "group" | "channel"; readonly id: string };
  readonly accountId?: string;
  readonly threadId?: string;
  readonly senderId?: string;
}

/** The session that a message goes to, and the route back to where it came from. */
export interface InboundTarget {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly route: Route;
}

/**
 * Chooses agent, session and route of an inbound message by `bindings`, `dmScope`, `identityLinks`, `groupScope` and
 * `session.scope`. Throws `TrunklineError` `invalid_key` for an id that no key can hold.
 */
export function routeInbound(config: TrunklineConfig, source: InboundSource): InboundTarget {
  const channel = source.channel.trim().toLowerCase();
  const accountId = source.accountId || undefined;
  const threadId = source.threadId || undefined;
  const agentId = boundAgent(config, { ...source, channel }) ?? defaultAgentId(config);
  return {
    agentId,
    sessionKey: formatSessionKey(sessionOf(config, agentId, channel, source)),
    route: {
      channel,
      to: source.peer.id,
      ...(accountId === undefined ? {} : { accountId }),
      ...(threadId === undefined ? {} : { threadId }),
    },
  };
}

function boundAgent(config: TrunklineConfig, source: InboundSource): string | undefined {
  let best: { readonly agentId: string; readonly rank: number } | undefined;
  for (const { agentId, match } of config.bindings) {
    if (match.channel !== source.channel) continue;
    if (match.accountId !== undefined && match.accountId !== source.accountId) continue;
    if (match.peer && (match.peer.kind !== source.peer.kind || match.peer.id !== source.peer.id)) continue;
    const rank = (match.peer ? 2 : 0) + (match.accountId === undefined ? 0 : 1);
    if (best === undefined || rank > best.rank) best = { agentId, rank };
  }
  return best?.agentId;
}

function sessionOf(
  config: TrunklineConfig,
  agentId: string,
  channel: string,
  { peer, accountId, threadId }: InboundSource,
): ParsedSessionKey {
  const { scope, mainKey, dmScope, groupScope } = config.session;
  const chatScope = peer.kind === "direct" ? dmScope : groupScope;
  if (scope === "global" || chatScope === "main") return { shape: "main", agentId, mainKey };

  const kind: ThreadPart["kind"] = channel === "telegram" && peer.kind === "group" ? "topic" : "thread";
  const thread = threadId ? { thread: { kind, id: threadId } } : {};
  if (peer.kind !== "direct") return { shape: peer.kind, agentId, channel, peerId: peer.id, ...thread };

  const person = {
    shape: "direct",
    agentId,
    peerId: linkedName(config, channel, peer.id) ?? peer.id,
    ...thread,
  } as const;
  if (dmScope === "per-peer") return person;
  if (dmScope === "per-channel-peer") return { ...person, channel };
  return { ...person, channel, accountId: accountId || "default" };
}

function linkedName(config: TrunklineConfig, channel: string, peerId: string): string | undefined {
  for (const [name, ids] of Object.entries(config.session.identityLinks)) {
    if (ids.some((id) => id === peerId || isOnChannel(id, channel, peerId))) return name;
  }
  return undefined;
}

function isOnChannel(id: string, channel: string, peerId: string): boolean {
  const at = id.indexOf(":");
  return at > 0 && id.slice(0, at).trim().toLowerCase() === channel && id.slice(at + 1) === peerId;
}
