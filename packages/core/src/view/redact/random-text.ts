import { charClass, digitBit, dotBit, joinBit, letterBit, upperBit } from "./char-class.ts";

/** How many characters of each class a text has; what is in none of them is not counted. */
export interface ClassCounts {
  readonly digits: number;
  readonly capitals: number;
  readonly small: number;
  /** `_`, `-` and `.`. */
  readonly joints: number;
}

/** Counts the classes of a text's characters. */
export function countClasses(value: string): ClassCounts {
  const counts = { digits: 0, capitals: 0, small: 0, joints: 0 };
  for (let index = 0; index < value.length; index += 1) {
    const bits = charClass(value.charCodeAt(index));
    if ((bits & digitBit) !== 0) counts.digits += 1;
    else if ((bits & upperBit) !== 0) counts.capitals += 1;
    else if ((bits & letterBit) !== 0) counts.small += 1;
    else if ((bits & (joinBit | dotBit)) !== 0) counts.joints += 1;
  }
  return counts;
}

/** Long and mixed: what generated secrets look like, and words, paths and addresses do not. */
export function looksRandom(value: string): boolean {
  const first = value.charCodeAt(0);
  if (value.length < 12 || first === 0x2e || first === 0x2f || first === 0x7e || value.includes("://")) return false;
  const { digits, capitals, small, joints } = countClasses(value);
  if (digits > 0) return capitals + small > 0;
  return (small > 0 && capitals * 3 >= value.length) || (value.length >= 20 && joints === 0);
}

/** Letters of both cases with more capitals than a name in camel case has. */
export function hasManyCapitals(value: string): boolean {
  const { capitals, small } = countClasses(value);
  return small > 0 && capitals * 3 >= value.length;
}
