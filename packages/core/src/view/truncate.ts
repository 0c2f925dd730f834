/** The most UTF-16 units that a view shows of one text; the marker that follows a cut is not counted. */
export const maxTextUnits = 4000;

/** What a view puts after a text that it had to cut. */
export const truncationMarker = "\n…(truncated)…";

/** Cuts a text to at most `maxUnits` UTF-16 units, never inside a surrogate pair, and marks the cut. */
export function truncateText(text: string, maxUnits: number = maxTextUnits): { text: string; truncated: boolean } {
  if (text.length <= maxUnits) return { text, truncated: false };
  return { text: text.slice(0, codePointBoundary(text, maxUnits)) + truncationMarker, truncated: true };
}

/** The largest index at or below `index` that does not split a surrogate pair. */
export function codePointBoundary(text: string, index: number): number {
  if (index <= 0 || index >= text.length) return Math.max(0, Math.min(index, text.length));
  const after = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  const splits = after >= 0xdc00 && after <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
  return splits ? index - 1 : index;
}
