import type { RunLane } from "./run.ts";

/** What became of an offer: the run has ended, it was not to be had, or this process has no room for it now. */
export type OfferOutcome = "done" | "gone" | "full";

/**
 * Carries the ids of claimable runs to the processes that work. Only a hint travels: a process claims a run in the
 * store, so a lost, late or repeated offer costs time and never a run.
 */
export interface Dispatcher {
  /** Offers a claimable run; offering it again is harmless. */
  offer(run: { readonly id: string; readonly lane: RunLane }): Promise<void>;
  /** Begins to take offers. `take` claims the run in the store and resolves when it has ended or was not taken. */
  start(take: (runId: string) => Promise<OfferOutcome>): Promise<void>;
  /** Takes no more offers; resolves when those that were taken are handed back or have ended. */
  stop(): Promise<void>;
}
