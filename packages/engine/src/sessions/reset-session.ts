import type { SessionPatch, SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newOpaqueId } from "../identifiers.ts";
import { abortSession } from "../runs/abort-session.ts";
import { createDraft } from "../transaction-draft.ts";

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
  await abortSession(engine, session);
  const sessionId = newOpaqueId();
  return decide<string | undefined>(engine, async () => {
    const [current] = await engine.store.read([{ get: "session", key: session.id }]);
    if (!current || current.deletedAt !== null) return { answer: undefined };
    if (current.activeRunId !== null || current.queuedRuns > 0) await abortSession(engine, current);
    const now = engine.clock.now();
    const draft = createDraft();
    draft
      .session(session.id)
      .when({ deleted: false, version: current.version, activeRun: null })
      .set({ ...resetPatch(), sessionId, updatedAt: now })
      .log({ kind: "reset", actorKind: actor, actorId: actor === "agent" ? current.agentId : null, data: {} });
    draft.hint({ about: "session", id: session.id });
    draft.event({ type: "session_changed", at: now, sessionKey: current.sessionKey });
    return { commit: draft, answer: sessionId };
  });
}
