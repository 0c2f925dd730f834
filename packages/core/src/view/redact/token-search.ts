import { alnumBits, charClass, digitBit, upperBit, wordBits } from "./char-class.ts";

/** A run of letters, digits, `_` and `-` that a scan has looked through, from `from` on; keeps a scan linear. */
export interface TokenSearch {
  from: number;
  end: number;
  /** The run holds both digits and capitals, as a token inside a longer word must. */
  isMixed: boolean;
}

/** What a scan starts with. */
export function newTokenSearch(): TokenSearch {
  return { from: 0, end: -1, isMixed: false };
}

/** The word run that `from` is in, measured once. */
export function wordRun(text: string, from: number, search: TokenSearch): TokenSearch {
  if (search.from <= from && from <= search.end) return search;
  let seen = 0;
  let index = from;
  for (
    let bits = charClass(text.charCodeAt(index));
    (bits & wordBits) !== 0;
    bits = charClass(text.charCodeAt(index))
  ) {
    seen |= bits;
    index += 1;
  }
  search.from = from;
  search.end = index;
  search.isMixed = (seen & digitBit) !== 0 && (seen & upperBit) !== 0;
  return search;
}

/** The end of a token without the punctuation behind it; `=` is padding and stays. */
export function trimTail(text: string, start: number, end: number): number {
  let index = end;
  while (index > start && (charClass(text.charCodeAt(index - 1)) & alnumBits) === 0) {
    if (text.charCodeAt(index - 1) === 0x3d) break;
    index -= 1;
  }
  return index;
}
