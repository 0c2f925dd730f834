// Few sizes, so that few different statements arise.
const smallSizes = [1, 4, 16, 64] as const;

/** Part of a list, to be padded to one of a few fixed sizes. */
export interface Chunk<T> {
  readonly members: readonly [T, ...T[]];
  readonly size: number;
}

/** Cuts a list into parts of at most `largest` members. */
export function chunksOf<T>(members: readonly T[], largest: number): readonly Chunk<T>[] {
  const chunks: Chunk<T>[] = [];
  for (let start = 0; start < members.length; start += largest) {
    const [first, ...more] = members.slice(start, start + largest);
    if (first === undefined) break;
    chunks.push({ members: [first, ...more], size: smallSizes.find((size) => size > more.length) ?? largest });
  }
  return chunks;
}
