import { TrunklineError } from "../errors/trunkline-error.ts";
import { utf8ByteLength } from "./compare-keys.ts";

/** A thread of a chat: `:thread:<id>`, or `:topic:<id>` in Telegram groups. The id keeps every byte. */
export interface ThreadPart {
  readonly kind: "thread" | "topic";
  readonly id: string;
}

/** `agent:<agentId>:<mainKey>`: a single last segment; the agent's main session when it is `session.mainKey`. */
export interface MainShapedKey {
  readonly shape: "main";
  readonly agentId: string;
  readonly mainKey: string;
}

/** `agent:<agentId>:<channel>:group:<peerId>` or `…:channel:<peerId>`, with an optional thread part. */
export interface GroupKey {
  readonly shape: "group" | "channel";
  readonly agentId: string;
  readonly channel: string;
  readonly peerId: string;
  readonly thread?: ThreadPart;
}

/** A direct chat: `direct:<peerId>` behind the agent, the agent and a channel, or the agent, a channel and an account. */
export interface DirectKey {
  readonly shape: "direct";
  readonly agentId: string;
  readonly channel?: string;
  /** Only together with `channel`. */
  readonly accountId?: string;
  readonly peerId: string;
  readonly thread?: ThreadPart;
}

/** `agent:<agentId>:subagent:<uuid>` or `agent:<agentId>:acp:<uuid>`: a spawned child. */
export interface SpawnedKey {
  readonly shape: "subagent" | "acp";
  readonly agentId: string;
  readonly uuid: string;
}

/** `cron:<id>`, `hook:<id>`, `node-<id>`; without `agentId` the owner is the agent recorded with the session. */
export interface JobKey {
  readonly shape: "cron" | "hook" | "node";
  readonly agentId?: string;
  readonly id: string;
  readonly thread?: ThreadPart;
}

/** A session key taken apart; `shape` tells which of the grammar's forms it has. */
export type ParsedSessionKey = MainShapedKey | GroupKey | DirectKey | SpawnedKey | JobKey;

export interface ParseSessionKeyOptions {
  /** `session.mainKey`: the last segment `main` folds to it. Default `main`. */
  readonly mainKey?: string;
}

/** The longest session key, in bytes of UTF-8. */
export const maxSessionKeyBytes = 512;

const agentIdPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is a UUID, in either case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text.toLowerCase());
}

/** Whether a text is an agent id as keys and configuration hold it: lower case, at most 64 characters. */
export function isAgentId(text: string): boolean {
  return agentIdPattern.test(text);
}

/**
 * Takes a session key apart. Structural parts come back in lower case, opaque ids byte for byte.
 * Throws `TrunklineError` `invalid_key` for anything else, the references `main` and `current` included.
 */
export function parseSessionKey(input: string, options: ParseSessionKeyOptions = {}): ParsedSessionKey {
  const key = input.trim();
  checkWholeKey(key);
  const parsed = parseShape(key);
  if (parsed === undefined) throw invalidKey(key, "has none of the shapes of a session key");
  if (parsed.shape === "main" && parsed.mainKey === "main" && options.mainKey !== undefined) {
    return parseSessionKey(`agent:${parsed.agentId}:${options.mainKey}`);
  }
  return parsed;
}

/** Writes a key. Throws `TrunklineError` `invalid_key` when the text would not parse back to the same parts. */
export function formatSessionKey(parsed: ParsedSessionKey): string {
  const key = writeKey(parsed);
  checkWholeKey(key);
  const again = key === key.trim() ? parseShape(key) : undefined;
  if (again === undefined || partsOf(again) !== partsOf(parsed)) {
    throw invalidKey(key, "would not be read back as the same parts");
  }
  return key;
}

/** The one stored spelling of a key. Throws `TrunklineError` `invalid_key`. */
export function canonicalSessionKey(input: string, options: ParseSessionKeyOptions = {}): string {
  const parsed = parseSessionKey(input, options);
  // What is written as it was read needs no second reading; every call of a tool comes with such a key.
  return writeKey(parsed) === input ? input : formatSessionKey(parsed);
}

function checkWholeKey(key: string): void {
  if (key === "") throw invalidKey(key, "is empty");
  // A UTF-16 unit takes at most three bytes, so that most keys need not be encoded to be measured.
  const mayBeTooLong = key.length * 3 > maxSessionKeyBytes;
  if (mayBeTooLong && utf8ByteLength(key) > maxSessionKeyBytes)
    throw invalidKey(key, `is longer than ${maxSessionKeyBytes} bytes`);
  if (!key.isWellFormed() || key.includes("\u0000")) {
    throw invalidKey(key, "holds a character that no database stores (U+0000 or half a surrogate pair)");
  }
  const folded = key.toLowerCase();
  if (folded === "main" || folded === "current") throw invalidKey(key, "is a reference to a session, not a key");
  if (folded === "global" || folded === "unknown") throw invalidKey(key, "is a reserved name");
}

function parseShape(key: string): ParsedSessionKey | undefined {
  const agent = splitFirst(key);
  if (agent === undefined || agent.head.toLowerCase() !== "agent") return parseJob(key, undefined);
  const owner = splitFirst(agent.rest);
  if (owner === undefined) return undefined;
  const agentId = owner.head.toLowerCase();
  if (!agentIdPattern.test(agentId) || owner.rest === "") return undefined;
  return parseAgentTail(agentId, owner.rest);
}

function parseAgentTail(agentId: string, tail: string): ParsedSessionKey | undefined {
  if (tail.slice(0, 5).toLowerCase() === "node-") return parseJob(tail, agentId);
  const first = splitFirst(tail);
  if (first === undefined) return { shape: "main", agentId, mainKey: tail.toLowerCase() };
  const head = first.head.toLowerCase();
  if (head === "") return undefined;
  if (head === "subagent" || head === "acp") {
    const uuid = first.rest.toLowerCase();
    return uuidPattern.test(uuid) ? { shape: head, agentId, uuid } : undefined;
  }
  if (head === "cron" || head === "hook") return parseJob(tail, agentId);
  if (head === "direct") return parsePeer({ shape: "direct", agentId }, first.rest);
  return parseChat(agentId, head, first.rest);
}

function parseChat(agentId: string, channel: string, tail: string): ParsedSessionKey | undefined {
  const second = splitFirst(tail);
  if (second === undefined) return undefined;
  const kind = second.head.toLowerCase();
  if (kind === "group" || kind === "channel" || kind === "direct") {
    return parsePeer({ shape: kind, agentId, channel }, second.rest);
  }
  const third = splitFirst(second.rest);
  if (third === undefined || second.head === "" || third.head.toLowerCase() !== "direct") return undefined;
  return parsePeer({ shape: "direct", agentId, channel, accountId: second.head }, third.rest);
}

type Peerless<Key> = Key extends { peerId: string } ? Omit<Key, "peerId" | "thread"> : never;

function parsePeer(base: Peerless<GroupKey> | Peerless<DirectKey>, rest: string): ParsedSessionKey | undefined {
  const withTopics = base.shape === "group" && base.channel === "telegram";
  const split = splitThread(rest, withTopics);
  return split && { ...base, peerId: split.id, ...split.thread };
}

function parseJob(text: string, agentId: string | undefined): ParsedSessionKey | undefined {
  const shape = /^(?:(cron|hook):|(node)-)/i.exec(text);
  if (shape === null) return undefined;
  const split = splitThread(text.slice(shape[0].length), false);
  if (split === undefined) return undefined;
  const name = (shape[1] ?? "node").toLowerCase();
  const owner = agentId === undefined ? {} : { agentId };
  return {
    shape: name === "cron" ? "cron" : name === "hook" ? "hook" : "node",
    ...owner,
    id: split.id,
    ...split.thread,
  };
}

function splitThread(rest: string, withTopics: boolean) {
  const threadAt = rest.lastIndexOf(":thread:");
  const topicAt = withTopics ? rest.lastIndexOf(":topic:") : -1;
  const at = Math.max(threadAt, topicAt);
  const kind: ThreadPart["kind"] = topicAt > threadAt ? "topic" : "thread";
  const id = at < 0 ? rest : rest.slice(0, at);
  const threadId = at < 0 ? undefined : rest.slice(at + kind.length + 2);
  if (id === "" || threadId === "") return undefined;
  return { id, thread: threadId === undefined ? {} : { thread: { kind, id: threadId } } };
}

function splitFirst(text: string): { readonly head: string; readonly rest: string } | undefined {
  const at = text.indexOf(":");
  return at < 0 ? undefined : { head: text.slice(0, at), rest: text.slice(at + 1) };
}

function writeKey(parsed: ParsedSessionKey): string {
  const owner = parsed.agentId === undefined ? "" : `agent:${parsed.agentId}:`;
  const thread = "thread" in parsed && parsed.thread ? `:${parsed.thread.kind}:${parsed.thread.id}` : "";
  switch (parsed.shape) {
    case "main":
      return owner + parsed.mainKey;
    case "subagent":
    case "acp":
      return `${owner}${parsed.shape}:${parsed.uuid}`;
    case "cron":
    case "hook":
      return `${owner}${parsed.shape}:${parsed.id}${thread}`;
    case "node":
      return `${owner}node-${parsed.id}${thread}`;
    case "group":
    case "channel":
      return `${owner}${parsed.channel}:${parsed.shape}:${parsed.peerId}${thread}`;
    case "direct": {
      const channel = parsed.channel === undefined ? "" : `${parsed.channel}:`;
      const account = parsed.accountId === undefined ? "" : `${parsed.accountId}:`;
      return `${owner}${channel}${account}direct:${parsed.peerId}${thread}`;
    }
  }
}

function partsOf(parsed: ParsedSessionKey): string {
  const parts: Readonly<Record<string, unknown>> = { ...parsed };
  const names = ["shape", "agentId", "mainKey", "channel", "accountId", "peerId", "uuid", "id"];
  const thread = "thread" in parsed && parsed.thread ? [parsed.thread.kind, parsed.thread.id] : [];
  return JSON.stringify([names.map((name) => parts[name] ?? null), thread]);
}

function invalidKey(key: string, problem: string): TrunklineError {
  const shown = key.length > 120 ? `${key.slice(0, 120).toWellFormed()}…` : key.toWellFormed();
  return new TrunklineError("invalid_key", `"${shown}" ${problem}`, {
    fix: "Use a key as sessions_list shows it, e.g. agent:main:main or agent:main:telegram:group:-1001.",
  });
}
