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
  /** The run has its end by another commit: what its runner still says is discarded. */
  isOver: boolean;
  /** Resolves when `isOver` turns true. */
  readonly over: PromiseWithResolvers<void>;
}

export type AbortReason = "yielded" | "timeout" | "cancelled" | "stopping" | "superseded";

/** A run that its runner is about to be called for. */
export function newLiveRun(run: RunRecord, session: SessionRecord, notices: LiveRun["notices"]): LiveRun {
  return {
    run,
    session,
    notices,
    controller: new AbortController(),
    steered: [],
    progress: Promise.resolve(),
    lastText: null,
    waits: 0,
    isOver: false,
    over: Promise.withResolvers<void>(),
  };
}

/**
 * Fires the signal; the reason is an `AbortError` whose message is the reason's word. A signal fires once, so a run that
 * has yielded learns of its end by `over` alone.
 */
export function abortLiveRun(live: LiveRun, reason: AbortReason): void {
  if (reason === "timeout" || reason === "cancelled" || reason === "superseded") {
    live.isOver = true;
    live.over.resolve();
  }
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
