import { charClass, quoteBit, spaceBit } from "./char-class.ts";

/** A value between quotes: what is inside, without the quotes and their backslashes. */
export interface QuotedValue {
  readonly start: number;
  readonly end: number;
}

/** Where the unbroken text ends that was measured last, for plain values and for pairs; keeps a scan linear. */
export interface RunEnds {
  plainFrom: number;
  plainEnd: number;
  pairFrom: number;
  pairEnd: number;
}

/** What a scan starts with. */
export function newRunEnds(): RunEnds {
  return { plainFrom: 0, plainEnd: -1, pairFrom: 0, pairEnd: -1 };
}

/** Where the value of a field starts whose `=` or `:` is at `at`; undefined where that is no field. */
export function valueStart(text: string, at: number, isKeyQuoted: boolean): number | undefined {
  let index = at + 1;
  const isColon = text.charCodeAt(at) === 0x3a;
  const next = text.charCodeAt(index);
  if (isColon && (next === 0x3d || next === 0x3a)) return undefined;
  while (!isColon && text.charCodeAt(index) === 0x3d) index += 1;
  if (!isColon && text.charCodeAt(index) === 0x3e) {
    if (!isKeyQuoted) return undefined;
    index += 1;
  }
  index = skipBlanks(text, index, isKeyQuoted);
  if (isColon && text.startsWith("**", index) && text.charCodeAt(index + 2) !== 0x2a)
    index = skipBlanks(text, index + 2, false);
  const isPrefixed = (charClass(text.charCodeAt(index + 1)) & quoteBit) !== 0 && /[bfru]/i.test(text.charAt(index));
  return isPrefixed ? index + 1 : index;
}

/** Skips blanks and, behind a quoted key, up to eight line breaks. */
function skipBlanks(text: string, from: number, isKeyQuoted: boolean): number {
  let lines = isKeyQuoted ? 8 : 0;
  for (let index = from; ; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x0a && lines > 0) lines -= 1;
    else if (code !== 0x20 && code !== 0x09 && !(code === 0x0d && isKeyQuoted)) return index;
  }
}

/** The quoted value that starts at `at`, escaped quotes included; one without an end runs to the end of its line. */
export function quotedValue(text: string, at: number): QuotedValue | undefined {
  let open = at;
  while (text.charCodeAt(open) === 0x5c) open += 1;
  const quote = text.charCodeAt(open);
  if ((charClass(quote) & quoteBit) === 0) return undefined;
  const depth = open - at;
  const isTriple = text.charCodeAt(open + 1) === quote && text.charCodeAt(open + 2) === quote;
  const start = open + (isTriple ? 3 : 1);
  let backslashes = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || code === 0x0d) return { start, end: index };
    if (code === 0x5c) backslashes += 1;
    else {
      const isClosing = code === quote && (depth === 0 ? backslashes % 2 === 0 : backslashes <= depth);
      const isDoubled = depth === 0 && quote === 0x27 && index > start && text.charCodeAt(index + 1) === quote;
      if (isClosing && isDoubled) index += 1;
      else if (isClosing) return { start, end: index - (depth === 0 ? 0 : backslashes) };
      backslashes = 0;
    }
  }
  return { start, end: text.length };
}

/** The end of an unquoted value; closing punctuation behind it is not a part of it. A pair's also ends at `&` and `#`. */
export function unquotedEnd(text: string, from: number, isPair: boolean, ends: RunEnds): number {
  let end = runEndFrom(text, from, isPair, ends);
  while (end > from && isClosing(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

function runEndFrom(text: string, from: number, isPair: boolean, ends: RunEnds): number {
  const knownFrom = isPair ? ends.pairFrom : ends.plainFrom;
  const knownEnd = isPair ? ends.pairEnd : ends.plainEnd;
  if (knownFrom <= from && from <= knownEnd) return knownEnd;
  let end = from;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if ((charClass(code) & (spaceBit | quoteBit)) !== 0 || code === 0x3c || code === 0x3e) break;
    if (isPair && (code === 0x26 || code === 0x23)) break;
    if (code === 0x5c && /[nrt"'\\]/.test(text.charAt(end + 1))) break;
  }
  if (isPair) {
    ends.pairFrom = from;
    ends.pairEnd = end;
  } else {
    ends.plainFrom = from;
    ends.plainEnd = end;
  }
  return end;
}

/** `,`, `;`, `)`, `}` or `]`. */
function isClosing(code: number): boolean {
  return code === 0x2c || code === 0x3b || code === 0x29 || code === 0x7d || code === 0x5d;
}
