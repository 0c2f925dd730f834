import { chatTypeOf, parseSessionKey, resetRuleOf, type SessionRecord, threadPartOf } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { newOpaqueId } from "../identifiers.ts";
import { abortSession } from "../runs/abort-session.ts";
import { unsettledChildren } from "../spawns/read-spawns.ts";
import type { TransactionDraft } from "../transaction-draft.ts";
import { resetPatch } from "./reset-session.ts";
import { statusOf } from "./session-status-word.ts";

/** Starts a session over in the commit of the message that finds it stale; never while it is at work. Returns the new `sessionId`. */
export async function addStaleReset(
  engine: Engine,
  draft: TransactionDraft,
  session: SessionRecord,
  now: number,
): Promise<string | undefined> {
  if (statusOf(session) !== "idle" || !isStale(engine, session, now)) return undefined;
  // Cancelling them moves the session's row: this commit's guard fails, and all is decided again without them.
  if ((await unsettledChildren(engine, session.id)).length > 0) await abortSession(engine, session);
  const sessionId = newOpaqueId();
  draft
    .session(session.id)
    .set({ ...resetPatch(), sessionId })
    .log({ kind: "reset", actorKind: "system", actorId: null, data: {} });
  return sessionId;
}

function isStale(engine: Engine, session: SessionRecord, now: number): boolean {
  const parsed = parseSessionKey(session.sessionKey);
  const chatType = chatTypeOf(parsed);
  const type = threadPartOf(parsed) ? "thread" : chatType === "direct" ? "direct" : "group";
  const rule = resetRuleOf(engine.config, { type, channel: session.lastChannel ?? session.channel });
  const last = session.lastHumanAt;
  if (rule.mode === "none" || last === null) return false;
  if (rule.mode === "idle") return now - last >= rule.idleMinutes * 60_000;
  return last < lastBoundary(now, rule.atHour);
}

/** The last time that the local clock showed this hour. */
function lastBoundary(now: number, atHour: number): number {
  const boundary = new Date(now);
  boundary.setHours(atHour, 0, 0, 0);
  if (boundary.getTime() > now) boundary.setDate(boundary.getDate() - 1);
  return boundary.getTime();
}
