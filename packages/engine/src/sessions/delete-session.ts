import { type SessionRecord, TrunklineError } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { abortSession } from "../runs/abort-session.ts";
import { spawnOfChild, unsettledChildren } from "../spawns/read-spawns.ts";
import { createDraft } from "../transaction-draft.ts";

const passesAtMost = 20;

/** Removes a session: runs and children are cancelled first, its key is free at once, its rows go in small batches. */
export async function deleteSession(engine: Engine, session: SessionRecord): Promise<boolean> {
  for (let pass = 0; pass < passesAtMost; pass++) {
    await abortSession(engine, session);
    const outcome = await decide(engine, () => plan(engine, session.id));
    if (outcome !== "busy") return outcome === "deleted";
  }
  throw stillBusy(session.sessionKey);
}

/** Removes a session that has nothing going and was not touched since it was read; whether it did. */
export async function deleteUnchanged(engine: Engine, session: SessionRecord): Promise<boolean> {
  const outcome = await decide(engine, async () => {
    const [current] = await engine.store.read([{ get: "session", key: session.id }]);
    return current?.version === session.version ? plan(engine, session.id) : { answer: "busy" as const };
  });
  return outcome === "deleted";
}

/** New work kept coming while a session was to be emptied. */
export function stillBusy(sessionKey: string): TrunklineError {
  return new TrunklineError("store_contended", `session "${sessionKey}" was given new work again and again`, {
    retryable: true,
    fix: "Stop what sends to it, then try again.",
  });
}

/** Whether a session has nothing going: no run, no open yield, no child that has not settled. */
export async function hasNothingGoing(engine: Engine, session: SessionRecord): Promise<boolean> {
  const { activeRunId, queuedRuns, openYields } = session;
  if (activeRunId !== null || queuedRuns > 0 || openYields > 0) return false;
  return (await unsettledChildren(engine, session.id)).length === 0;
}

async function plan(engine: Engine, row: string): Promise<Plan<"deleted" | "gone" | "busy">> {
  const [current] = await engine.store.read([{ get: "session", key: row }]);
  if (!current || current.deletedAt !== null) return { answer: "gone" };
  if (!(await hasNothingGoing(engine, current))) return { answer: "busy" };
  const spawn = await spawnOfChild(engine, row);
  const now = engine.clock.now();
  const draft = createDraft();
  draft
    .session(row)
    .when({ deleted: false, version: current.version })
    .set({ deletedAt: now, archived: 2, sessionKey: `~deleted:${row}`, updatedAt: now });
  if (spawn) draft.record({ kind: "spawn", key: spawn.id, set: { cleanedAt: now }, add: { version: 1 } });
  draft.record({
    kind: "job",
    insert: { id: newId(), kind: "purge_session", ref: row, dueAt: now, attempts: 0, owner: null },
  });
  draft.hint({ about: "session", id: row });
  draft.event({ type: "session_changed", at: now, sessionKey: current.sessionKey, state: "cancelled" });
  return { commit: draft, answer: "deleted" };
}
