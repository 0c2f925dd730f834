/** Numbers that look random and are the same for one seed: a failing walk can be walked again. */
export function createRandom(seed: number): {
  below(limit: number): number;
  pick<T>(values: readonly T[]): T | undefined;
} {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return { below, pick: (values) => values[below(values.length)] };
}
