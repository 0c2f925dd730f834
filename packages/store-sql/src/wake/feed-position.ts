const missingForMs = 10_000;
const maxMissing = 1000;

/**
 * How far a reader has got in the feed. Numbers are given before commits, so that a lower one may become visible after a
 * higher one: those that were not there are looked at again for ten seconds.
 */
export interface FeedPosition {
  readonly after: number;
  /** Numbers below `after` that have not been seen yet. */
  missing(now: number): readonly number[];
  /** Notes the numbers that were read, in ascending order. */
  advance(numbers: readonly number[], now: number): void;
}

export function createFeedPosition(start: number): FeedPosition {
  const missing = new Map<number, number>();
  let after = start;
  return {
    get after() {
      return after;
    },
    missing(now) {
      for (const [number, until] of missing) if (until < now) missing.delete(number);
      return [...missing.keys()];
    },
    advance(numbers, now) {
      for (const number of numbers) {
        missing.delete(number);
        if (number <= after) continue;
        for (let gap = Math.max(after + 1, number - maxMissing); gap < number; gap++)
          missing.set(gap, now + missingForMs);
        after = number;
      }
      for (const number of missing.keys()) {
        if (missing.size <= maxMissing) break;
        missing.delete(number);
      }
    },
  };
}
