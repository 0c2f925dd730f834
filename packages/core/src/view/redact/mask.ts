/** A place to be masked: `[start, end)` becomes `replacement`, which may equal what is there already. */
export interface Mask {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** What stands for a secret of which nothing may be shown. */
export const fullMask = "***";

const minHintUnits = 18;
const headPoints = 6;
const tailPoints = 4;

/**
 * Masks one secret: under 18 units `***`, else its first six and last four characters around `…`. One repeated character
 * is `***` at any length, as its ends would give it away. A mask stays as it is.
 */
export function maskValue(value: string): string {
  if (value === fullMask || isMask(value)) return value;
  if (value.length < minHintUnits || isOneCharacter(value)) return fullMask;
  const head = take(value, headPoints);
  const tail = takeLast(value, tailPoints);
  return `${head}…${tail}`;
}

function isOneCharacter(value: string): boolean {
  const first = value.charCodeAt(0);
  for (let index = 1; index < value.length; index += 1) if (value.charCodeAt(index) !== first) return false;
  return true;
}

function isMask(value: string): boolean {
  if (value.length < headPoints + 1 + tailPoints || value.length > 2 * (headPoints + tailPoints) + 1) return false;
  const head = take(value, headPoints);
  return (
    value.charCodeAt(head.length) === 0x2026 && takeLast(value, tailPoints).length === value.length - head.length - 1
  );
}

function take(value: string, points: number): string {
  let end = 0;
  for (let count = 0; count < points && end < value.length; count += 1) end += unitsAt(value, end);
  return value.slice(0, end);
}

function takeLast(value: string, points: number): string {
  let start = value.length;
  for (let count = 0; count < points && start > 0; count += 1) {
    const isPair = start > 1 && unitsAt(value, start - 2) === 2;
    start -= isPair ? 2 : 1;
  }
  return value.slice(start);
}

function unitsAt(value: string, index: number): 1 | 2 {
  return (value.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
