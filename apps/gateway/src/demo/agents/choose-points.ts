import { type Draft, draftWords } from "./draft.ts";

const ordinals = ["first", "second", "third", "fourth", "fifth"] as const;

/** The points that fit, the longest cut first; what the editor, who knows no scores, proposes. */
export function keepShort({ points, wordLimit }: Draft): readonly number[] {
  const keep = points.map((_, index) => index);
  const byLength = keep.toSorted(
    (left, right) => draftWords(points.slice(right, right + 1)) - draftWords(points.slice(left, left + 1)),
  );
  while (keep.length > 1 && draftWords(points.filter((_, index) => keep.includes(index))) > wordLimit) {
    keep.splice(keep.indexOf(byLength.shift() ?? 0), 1);
  }
  return keep;
}

/** The points that fit, the best first; what the coordinator, who ordered them by score, wants. */
export function keepBestPoints({ points, wordLimit }: Draft): readonly number[] {
  const keep: number[] = [];
  let words = 0;
  for (const [index, point] of points.entries()) {
    const length = draftWords([point]);
    if (keep.length > 0 && words + length > wordLimit) continue;
    keep.push(index);
    words += length;
  }
  return keep;
}

/** Points by their ordinals: `the first and third`. */
export function nameOrdinals(indexes: readonly number[]): string {
  const names = indexes.map((index) => ordinals[index] ?? `${index + 1}th`);
  const last = names.at(-1) ?? "none";
  return names.length < 2 ? `the ${last}` : `the ${names.slice(0, -1).join(", ")} and ${last}`;
}

/** The ordinals in a text, as indexes; `undefined` where it names none. */
export function readOrdinals(text: string): readonly number[] | undefined {
  const found = ordinals.flatMap((name, index) => (new RegExp(`\\b${name}\\b`, "u").test(text) ? [index] : []));
  return found.length === 0 ? undefined : found;
}
