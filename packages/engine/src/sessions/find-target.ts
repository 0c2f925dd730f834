import {
  type AccessAction,
  authorize,
  type Decision,
  formatSessionKey,
  isConfiguredAgent,
  notFoundResult,
  parseSessionReference,
  type RefusalResult,
  refusalResult,
  type SessionRecord,
  type SessionReference,
  TrunklineError,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { findByKey } from "./ensure-session.ts";
import { kindOf, type ResolvedCaller } from "./resolved-caller.ts";

/** A target that the caller may act on, a main session that may be made for it, or why not. */
export type Target =
  | { readonly session: SessionRecord; readonly decision: Decision }
  | { readonly creatable: { readonly sessionKey: string; readonly agentId: string } }
  | { readonly refusal: RefusalResult; readonly decision: Decision };

/** Resolves what a caller typed, then authorises the resolved session; hidden and missing sessions get one answer. */
export async function findTarget(
  engine: Engine,
  caller: ResolvedCaller,
  typed: string,
  action: AccessAction,
): Promise<Target> {
  const reference = readReference(engine, typed);
  if (!reference) return { refusal: notFoundResult(typed), decision: unreadable };
  if (reference.type === "current") return accessTo(engine, caller, caller.session, typed, action, true);
  if (reference.type === "sessionId") {
    const [found] = await engine.store.read([
      { find: "session", index: "sessionId", equals: [reference.sessionId], limit: 1 },
    ]);
    const session = found[0];
    return session && session.deletedAt === null
      ? accessTo(engine, caller, session, typed, action, false)
      : { refusal: notFoundResult(typed), decision: unreadable };
  }
  const sessionKey = reference.type === "main" ? mainKeyOf(engine, caller.agentId) : formatSessionKey(reference.parsed);
  return findKey(engine, caller, sessionKey, typed, action);
}

/** The key of an agent's main session. */
export function mainKeyOf(engine: Engine, agentId: string): string {
  return formatSessionKey({ shape: "main", agentId, mainKey: engine.config.session.mainKey });
}

/** Resolves and authorises a canonical key. */
export async function findKey(
  engine: Engine,
  caller: ResolvedCaller,
  sessionKey: string,
  typed: string,
  action: AccessAction,
): Promise<Target> {
  const { named } = caller;
  const session = named?.sessionKey === sessionKey ? named : await findByKey(engine, sessionKey);
  const agentTyped = /^agent:/.test(sessionKey);
  if (session) return accessTo(engine, caller, session, typed, action, agentTyped);
  const agentId = agentTyped ? (sessionKey.split(":")[1] ?? "") : "";
  const decision = authorize({
    config: engine.config,
    caller,
    action,
    target: { sessionKey, agentId, isSelf: false, isDescendant: false, agentTyped },
  });
  if (!decision.allowed) return { refusal: refusalResult(decision, typed), decision };
  const isMain = kindOf(engine, sessionKey) === "main" && isConfiguredAgent(engine.config, agentId);
  if (isMain && action === "send") return { creatable: { sessionKey, agentId } };
  return { refusal: notFoundResult(typed), decision: unreadable };
}

/** Whether the caller may act on a session that exists. */
export async function accessTo(
  engine: Engine,
  caller: ResolvedCaller,
  session: SessionRecord,
  typed: string,
  action: AccessAction,
  agentTyped: boolean,
): Promise<Target> {
  const decision = await decideAccess(engine, caller, session, action, agentTyped);
  return decision.allowed ? { session, decision } : { refusal: refusalResult(decision, typed), decision };
}

/** The one question behind every tool: may this caller read, send to or change that session? */
export async function decideAccess(
  engine: Engine,
  caller: ResolvedCaller,
  session: SessionRecord,
  action: AccessAction,
  agentTyped: boolean,
): Promise<Decision> {
  const isSelf = session.id === caller.session.id;
  return authorize({
    config: engine.config,
    caller,
    action,
    target: {
      sessionKey: session.sessionKey,
      agentId: session.agentId,
      kind: session.kind,
      isSelf,
      isDescendant: !isSelf && (await isDescendant(engine, caller.session, session)),
      agentTyped,
    },
  });
}

async function isDescendant(engine: Engine, ancestor: SessionRecord, session: SessionRecord): Promise<boolean> {
  if (session.rootId !== ancestor.rootId || session.spawnDepth <= ancestor.spawnDepth) return false;
  if (session.parentId === ancestor.id) return true;
  const [link] = await engine.store.read([{ get: "lineage", key: `${ancestor.id}\n${session.id}` }]);
  return link !== undefined;
}

// A text that is no reference at all finds nothing, like a key that names nothing.
function readReference(engine: Engine, typed: string): SessionReference | undefined {
  try {
    return parseSessionReference(typed, { mainKey: engine.config.session.mainKey });
  } catch (error) {
    if (TrunklineError.isInstance(error) && error.code === "invalid_key") return undefined;
    throw error;
  }
}

const unreadable: Decision = {
  allowed: false,
  code: "not_found",
  refusal: "not_found",
  reason: "no such session",
  trail: [{ step: "session exists", allowed: false }],
};
