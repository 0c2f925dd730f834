import { TrunklineError } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { Ending } from "./closing.ts";
import { completeRun } from "./complete-run.ts";
import type { LiveRun } from "./live-run.ts";
import { isPassing, patiently } from "./patiently.ts";

/**
 * Commits how a live run ended. While the store is away it is tried again, for the runner is never called again; a
 * result that no store takes ends the run as failed instead, so that its lane is free.
 */
export async function commitEnding(engine: Engine, live: LiveRun, ending: Ending): Promise<void> {
  const options = {
    what: "the end of a run",
    isWanted: () => engine.live.get(live.run.id) === live,
    woken: live.over.promise,
  };
  try {
    await patiently(engine, options, () => completeRun(engine, live.run, ending));
  } catch (error) {
    if (isPassing(error) || !options.isWanted()) throw error;
    engine.logger.error({ err: error, runId: live.run.id }, "the result of a run cannot be stored; the run fails");
    const failed: Ending = { state: "error", text: null, rows: [], code: "run_failed", error: reasonOf(error) };
    await patiently(engine, { ...options, whatever: true }, () => completeRun(engine, live.run, failed));
  }
}

function reasonOf(error: unknown): string {
  const tooLarge = TrunklineError.isInstance(error) && error.code === "store_too_large";
  return tooLarge ? "The answer is too large to be stored" : "The result of the run could not be stored";
}
