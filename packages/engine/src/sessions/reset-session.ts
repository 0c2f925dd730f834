import type { SessionPatch, SessionRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newOpaqueId } from "../identifiers.ts";
import { abortSession } from "../runs/abort-session.ts";
import { createDraft } from "../transaction-draft.ts";
import { hasNothingGoing, stillBusy } from "./delete-session.ts";

const passesAtMost = 20;

/** What a reset clears besides the transcript: the usage that is shown. */
export function resetPatch(): SessionPatch {
  return { inputTokens: 0, outputTokens: 0, totalTokens: 0, contextTokens: 0, abortedLastRun: 0, systemSent: 0 };
}

/**
 * Starts a session over: new `sessionId`, empty transcript; key, label, route, model, pin, policy, watchers and lineage
 * stay. What it has going is cancelled first. Returns the new `sessionId`, or `undefined` for a deleted session.
 */
export async function resetSession(
  engine: Engine,
  session: SessionRecord,
  actor: "human" | "agent" | "system",
): Promise<string | undefined> {
  const sessionId = newOpaqueId();
  for (let pass = 0; pass < passesAtMost; pass++) {
    await abortSession(engine, session);
    const outcome = await decide(engine, () => plan(engine, session.id, { sessionId, actor }));
    if (outcome !== "busy") return outcome === "reset" ? sessionId : undefined;
  }
  throw stillBusy(session.sessionKey);
}

async function plan(
  engine: Engine,
  row: string,
  to: { readonly sessionId: string; readonly actor: "human" | "agent" | "system" },
): Promise<Plan<"reset" | "gone" | "busy">> {
  const [current] = await engine.store.read([{ get: "session", key: row }]);
  if (!current || current.deletedAt !== null) return { answer: "gone" };
  if (!(await hasNothingGoing(engine, current))) return { answer: "busy" };
  const now = engine.clock.now();
  const actorId = to.actor === "agent" ? current.agentId : null;
  const draft = createDraft();
  draft
    .session(row)
    .when({ deleted: false, version: current.version, activeRun: null })
    .set({ ...resetPatch(), sessionId: to.sessionId, updatedAt: now })
    .log({ kind: "reset", actorKind: to.actor, actorId, data: {} });
  draft.hint({ about: "session", id: row });
  draft.event({ type: "session_changed", at: now, sessionKey: current.sessionKey });
  return { commit: draft, answer: "reset" };
}
