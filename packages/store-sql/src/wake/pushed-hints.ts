import type { WakeHint } from "@trunkline/core";

/** Counts hints that were pushed, so that the feed, read later, gives only those that were not. */
export interface PushedHints {
  note(hints: readonly WakeHint[]): void;
  /** The hints of one reading of the feed that were not pushed; what was noted two readings ago is forgotten. */
  missed(hints: readonly WakeHint[]): readonly WakeHint[];
}

export function createPushedHints(): PushedHints {
  let current = new Map<string, number>();
  let previous = new Map<string, number>();

  function take(key: string): boolean {
    for (const counts of [previous, current]) {
      const count = counts.get(key) ?? 0;
      if (count > 0) {
        counts.set(key, count - 1);
        return true;
      }
    }
    return false;
  }

  return {
    note(hints) {
      for (const hint of hints) current.set(keyOf(hint), (current.get(keyOf(hint)) ?? 0) + 1);
    },
    missed(hints) {
      const result = hints.filter((hint) => !take(keyOf(hint)));
      previous = current;
      current = new Map();
      return result;
    },
  };
}

function keyOf({ about, id }: WakeHint): string {
  return `${about} ${id}`;
}
