import type { Engine } from "../engine.ts";
import { completeRun } from "../runs/complete-run.ts";
import { type AbortReason, abortLiveRun, type LiveRun } from "../runs/live-run.ts";

/** A live run that was ended elsewhere is stopped here; told by the hint of that commit, or found by the next look at all of them. */
export async function stopEndedRuns(engine: Engine, ids: Iterable<string> = [...engine.live.keys()]): Promise<void> {
  for (const id of new Set(ids)) {
    const live = engine.live.get(id);
    if (!live) continue;
    const [run] = await engine.store.read([{ get: "run", key: id }]);
    if (run?.state === "running" && run.fence === live.run.fence) {
      // A host may call the tools of a run through another process.
      if (run.yieldMarked === 1 && !live.controller.signal.aborted) abortLiveRun(live, "yielded");
      continue;
    }
    if (run?.state === "ok" || run?.state === "error" || run?.state === "yielded") continue;
    dropLiveRun(engine, live, run?.state === "timeout" || run?.state === "cancelled" ? run.state : "superseded");
  }
}

/** Gives up every live run of a process that was declared dead: others have settled them. */
export function supersedeLiveRuns(engine: Engine): void {
  for (const live of [...engine.live.values()]) dropLiveRun(engine, live, "superseded");
}

function dropLiveRun(engine: Engine, live: LiveRun, reason: AbortReason): void {
  if (engine.live.get(live.run.id) !== live) return;
  engine.live.delete(live.run.id);
  abortLiveRun(live, reason);
}

/** Settles what still runs when the process stops; runners that come back later find their runs over. */
export async function interruptLiveRuns(engine: Engine): Promise<void> {
  for (const { run } of [...engine.live.values()]) {
    await completeRun(engine, run, {
      state: "interrupted",
      text: null,
      rows: [],
      code: "run_interrupted",
      error: "The process stopped while the run was going",
    });
    engine.live.delete(run.id);
  }
}
