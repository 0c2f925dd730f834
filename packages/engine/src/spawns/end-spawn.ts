import type { RunRecord, SpawnRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { cancelRun, timeOutRun } from "../runs/cancel-run.ts";
import { createDraft } from "../transaction-draft.ts";
import { settleSpawn } from "./settle-spawn.ts";

/** Cancels a child with all that works for it; `false` when it had ended before. */
export async function cancelSpawn(engine: Engine, spawn: SpawnRecord): Promise<boolean> {
  return endSpawn(engine, spawn, "cancelled", cancelRun);
}

/** Ends a child at its time limit, running or yielded; what it says later is discarded. */
export async function timeOutSpawn(engine: Engine, spawn: SpawnRecord): Promise<boolean> {
  return endSpawn(engine, spawn, "timeout", timeOutRun);
}

const triesAtMost = 20;

/** The child may move on between the look and the commit, e.g. be claimed or continued: then it is looked at again. */
async function endSpawn(
  engine: Engine,
  spawn: SpawnRecord,
  outcome: "cancelled" | "timeout",
  end: (engine: Engine, run: RunRecord) => Promise<boolean>,
): Promise<boolean> {
  for (let tries = 0; tries < triesAtMost; tries++) {
    const [current] = await engine.store.read([{ get: "spawn", key: spawn.id }]);
    if (!current || current.state === "settled") return false;
    const [run] = await engine.store.read([{ get: "run", key: current.currentRunId }]);
    const waits = current.state === "waiting_children";
    if (waits ? await settleWithoutRun(engine, spawn.id, outcome) : run && (await end(engine, run))) return true;
  }
  return false;
}

/** A child whose own run has ended, and that only waits for its children, settles by itself. */
async function settleWithoutRun(engine: Engine, spawnId: string, outcome: "cancelled" | "timeout"): Promise<boolean> {
  return decide(engine, async () => {
    const [spawn] = await engine.store.read([{ get: "spawn", key: spawnId }]);
    if (spawn?.state !== "waiting_children") return { answer: false };
    const [session] = await engine.store.read([{ get: "session", key: spawn.childRow }]);
    if (!session) return { answer: false };
    const now = engine.clock.now();
    const draft = createDraft();
    draft.session(session.id).when({ familyVersion: session.familyVersion });
    await settleSpawn({ engine, draft, now, session }, spawn, {
      outcome,
      text: spawn.captured,
      skipped: false,
      error: outcome === "cancelled" ? "The run was cancelled" : "The run passed its time limit",
      extraUsage: undefined,
    });
    return { commit: draft, answer: true };
  });
}
