import type { RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { Ending } from "./closing.ts";
import { completeRun } from "./complete-run.ts";
import { abortLiveRun } from "./live-run.ts";
import { isEnded } from "./run-states.ts";

const triesAtMost = 20;

/** Ends a queued, active or yielded run as cancelled; its children follow through a job of the same commit. */
export async function cancelRun(engine: Engine, run: RunRecord): Promise<boolean> {
  return endEarly(engine, run, "cancelled", { code: "run_cancelled", error: "The run was cancelled" });
}

/** Ends a run that has passed its limit, whether or not its runner listens to the signal. */
export async function timeOutRun(engine: Engine, run: RunRecord): Promise<boolean> {
  return endEarly(engine, run, "timeout", { code: "run_timeout", error: "The run passed its time limit" });
}

async function endEarly(
  engine: Engine,
  run: RunRecord,
  state: "cancelled" | "timeout",
  reason: Pick<Ending, "code" | "error">,
): Promise<boolean> {
  let current = run;
  for (let tries = 0; tries < triesAtMost; tries++) {
    const live = engine.live.get(run.id);
    const done = await completeRun(engine, current, { state, text: live?.lastText ?? null, rows: [], ...reason });
    if (done && live) {
      engine.live.delete(run.id);
      abortLiveRun(live, state);
    }
    if (done) return true;
    // The run may have been claimed or have yielded meanwhile, which has nothing to do with whether it is to end.
    const [next] = await engine.store.read([{ get: "run", key: run.id }]);
    if (!next || (next.state === current.state && next.fence === current.fence)) return false;
    if (isEnded(next) && next.state !== "yielded") return false;
    current = next;
  }
  return false;
}
