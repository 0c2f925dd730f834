import type { RunRecord, SessionRecord } from "@trunkline/core";

/** A run whose runner works in this process. */
export interface LiveRun {
  readonly run: RunRecord;
  readonly session: SessionRecord;
  readonly controller: AbortController;
  /** Notices shown to this run, and through which version of their target. */
  readonly notices: readonly { readonly watchId: string; readonly through: number }[];
  /** Queued runs whose text the runner has taken mid-run; they are merged into this run when it ends well. */
  readonly steered: RunRecord[];
  /** Progress commits of the run, one after the other. */
  progress: Promise<void>;
  /** The last text that the runner emitted: what is left of a run that is cut off. */
  lastText: string | null;
  /** How many waits the run is in; while any is going its lane slot is lent. */
  waits: number;
}

export type AbortReason = "yielded" | "timeout" | "cancelled" | "stopping" | "superseded";

/** Fires the signal; the reason is an `AbortError` whose message is the reason's word. */
export function abortLiveRun(live: LiveRun, reason: AbortReason): void {
  live.controller.abort(new DOMException(reason, "AbortError"));
}

/** Why a run's signal was fired. */
export function abortReason(signal: AbortSignal): AbortReason | undefined {
  if (!signal.aborted) return undefined;
  const { reason } = signal;
  return reason instanceof DOMException ? toReason(reason.message) : "superseded";
}

function toReason(word: string): AbortReason {
  switch (word) {
    case "yielded":
    case "timeout":
    case "cancelled":
    case "stopping":
      return word;
    default:
      return "superseded";
  }
}
