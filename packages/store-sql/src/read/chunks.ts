// Few sizes, so that few different statements arise; every database takes the largest in one statement.
const chunkSizes = [1, 4, 16, 64, 200] as const;
const largest = 200;

/** Part of a list, to be padded to one of a few fixed sizes. */
export interface Chunk<T> {
  readonly members: readonly [T, ...T[]];
  readonly size: number;
}

export function chunksOf<T>(members: readonly T[]): readonly Chunk<T>[] {
  const chunks: Chunk<T>[] = [];
  for (let start = 0; start < members.length; start += largest) {
    const [first, ...more] = members.slice(start, start + largest);
    if (first === undefined) break;
    chunks.push({ members: [first, ...more], size: chunkSizes.find((size) => size > more.length) ?? largest });
  }
  return chunks;
}
