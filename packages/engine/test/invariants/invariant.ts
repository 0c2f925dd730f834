import type { Snapshot } from "./snapshot.ts";

/** What the checks have to know beside the rows. */
export interface Limits {
  readonly maxChildren: number;
  readonly maxHops: number;
  /** The cap of the sub-agent lane; leave it out where runs that wait lend their slots, because taking one back may overshoot. */
  readonly maxConcurrent?: number;
  /**
   * Set once everything has come to rest, every lease of a dead process has run out and was swept: the time of the clock.
   * Some rules hold only then.
   */
  readonly quietAt?: number;
}

/** One rule of the store's state: returns the rows that break it, each as a short text. */
export interface Invariant {
  /** The rule's number, as the tests cite it. */
  readonly number: number;
  readonly name: string;
  check(snapshot: Snapshot, limits: Limits): readonly string[];
}
