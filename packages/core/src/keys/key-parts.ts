import type { Route } from "../delivery/route.ts";
import { canonicalSessionKey, type ParsedSessionKey, parseSessionKey, type ThreadPart } from "./session-key.ts";

/** The kind of chat a session belongs to, as send policy and reset rules see it. */
export type ChatType = "direct" | "group" | "channel";

/** The thread part of a key, if it has one. */
export function threadPartOf(parsed: ParsedSessionKey): ThreadPart | undefined {
  return "thread" in parsed ? parsed.thread : undefined;
}

/** Whether a key names a thread or topic of a chat. Throws `TrunklineError` `invalid_key`. */
export function hasThreadPart(key: string): boolean {
  return threadPartOf(parseSessionKey(key)) !== undefined;
}

/** The key of the chat that a thread belongs to; a key without thread part comes back canonical. Throws `invalid_key`. */
export function parentKey(key: string): string {
  const canonical = canonicalSessionKey(key);
  const thread = threadPartOf(parseSessionKey(canonical));
  if (thread === undefined) return canonical;
  return parentKey(canonical.slice(0, -`:${thread.kind}:${thread.id}`.length));
}

/** The agent that a key names; `undefined` for a bare `cron:`, `hook:` or `node-` key. Throws `invalid_key`. */
export function agentIdFromKey(key: string): string | undefined {
  return parseSessionKey(key).agentId;
}

/** The route that a key supplies: only keys that name a channel have one; `to` is the bare id of the chat. */
export function routeFromKey(parsed: ParsedSessionKey): Route | undefined {
  if (parsed.shape !== "direct" && parsed.shape !== "group" && parsed.shape !== "channel") return undefined;
  if (parsed.channel === undefined) return undefined;
  const account = parsed.shape === "direct" && parsed.accountId !== undefined ? { accountId: parsed.accountId } : {};
  const thread = parsed.thread === undefined ? {} : { threadId: parsed.thread.id };
  return { channel: parsed.channel, to: parsed.peerId, ...account, ...thread };
}

/** The chat type of a key; a thread has its base's, everything that is no group or room counts as direct. */
export function chatTypeOf(parsed: ParsedSessionKey): ChatType {
  return parsed.shape === "group" || parsed.shape === "channel" ? parsed.shape : "direct";
}
