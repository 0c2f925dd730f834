import type { Outcome, RunRecord, RunState } from "@trunkline/core";

const activeStates: readonly RunState[] = ["claimed", "running"];

/** Claimed or running: it holds its session's lane. */
export function isActive(run: Pick<RunRecord, "state">): boolean {
  return activeStates.includes(run.state);
}

/** Neither queued nor active; a yielded or merged run lives on in its successor. */
export function isEnded(run: Pick<RunRecord, "state">): boolean {
  return run.state !== "queued" && !isActive(run);
}

/** How a terminal state reads as the outcome of a child. */
export function outcomeOf(state: RunState): Outcome {
  switch (state) {
    case "ok":
      return "success";
    case "error":
    case "timeout":
    case "cancelled":
    case "interrupted":
      return state;
    default:
      return "unknown";
  }
}
