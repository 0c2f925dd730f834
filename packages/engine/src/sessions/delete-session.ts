import type { SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { abortSession } from "../runs/abort-session.ts";
import { createDraft } from "../transaction-draft.ts";

/** Removes a session: runs and children are cancelled first, its key is free at once, its rows go in small batches. */
export async function deleteSession(engine: Engine, session: SessionRecord): Promise<boolean> {
  await abortSession(engine, session);
  return decide(engine, async () => {
    const [current] = await engine.store.read([{ get: "session", key: session.id }]);
    if (!current || current.deletedAt !== null) return { answer: false };
    if (current.activeRunId !== null || current.queuedRuns > 0) {
      await abortSession(engine, current);
      return { commit: createDraft(), answer: false };
    }
    const [spawns] = await engine.store.read([{ find: "spawn", index: "child", equals: [session.id], limit: 1 }]);
    const now = engine.clock.now();
    const draft = createDraft();
    draft
      .session(session.id)
      .when({ deleted: false, version: current.version })
      .set({ deletedAt: now, archived: 2, sessionKey: `~deleted:${session.id}`, updatedAt: now });
    const spawn = spawns[0];
    if (spawn) {
      draft.record({ kind: "spawn", key: spawn.id, set: { cleanedAt: now }, add: { version: 1 } });
    }
    draft.record({
      kind: "job",
      insert: { id: newId(), kind: "purge_session", ref: session.id, dueAt: now, attempts: 0, owner: null },
    });
    draft.hint({ about: "session", id: session.id });
    draft.event({ type: "session_changed", at: now, sessionKey: session.sessionKey, state: "cancelled" });
    return { commit: draft, answer: true };
  });
}
