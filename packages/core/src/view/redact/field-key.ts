import { alnumBits, charClass, dottedBits, quoteBit, runStart, spaceBit } from "./char-class.ts";
import { type RunEnds, unquotedEnd } from "./field-value.ts";

/** A field's name, as it stands in front of its `=` or `:`. */
export interface FieldKey {
  readonly name: string;
  readonly start: number;
  readonly isQuoted: boolean;
}

const longestKey = 80;
const longestGap = 24;
/** JSON written into JSON doubles the backslashes each time, and one more. */
const longestEscape = 512;

/** The name in front of the `=` or `:` at `at`: an identifier or a quoted name, blanks, `?`, `*` or `]` between allowed. */
export function fieldKey(text: string, at: number): FieldKey | undefined {
  let end = at;
  const lowest = Math.max(0, at - longestGap);
  if (text.charCodeAt(at - 1) === 0x3a) end -= 1;
  while (end > lowest && isGap(text.charCodeAt(end - 1))) end -= 1;
  const before = text.charCodeAt(end - 1);
  const bits = charClass(before);
  if ((bits & alnumBits) !== 0) return plainKey(text, end);
  return (bits & quoteBit) === 0 ? undefined : quotedKey(text, end - 1, before);
}

function plainKey(text: string, end: number): FieldKey {
  const start = afterEscape(text, runStart(text, end, dottedBits, longestKey));
  const name = text.slice(start, end);
  const isLoneKey = end - start === 3 && name.toLowerCase() === "key";
  return { name: isLoneKey ? withPreviousWord(text, start, name) : name, start, isQuoted: false };
}

function quotedKey(text: string, closing: number, quote: number): FieldKey | undefined {
  let end = closing;
  const lowest = Math.max(0, closing - longestEscape);
  while (end > lowest && text.charCodeAt(end - 1) === 0x5c) end -= 1;
  let start = runStart(text, end, dottedBits, longestKey);
  if (text.charCodeAt(start - 1) === 0x20) start = runStart(text, end, dottedBits | spaceBit, longestKey);
  if (start === end || text.charCodeAt(start - 1) !== quote) return undefined;
  return { name: text.slice(start, end), start, isQuoted: true };
}

/** Behind the letter of an escape such as `\n`, where a word seems to start with it. */
export function afterEscape(text: string, start: number): number {
  const isEscape = text.charCodeAt(start - 1) === 0x5c && "nrtbf".includes(text.charAt(start));
  return isEscape ? start + 1 : start;
}

/** `API key: …`: the word in front of a lone `key` says what kind of key it is. */
function withPreviousWord(text: string, start: number, name: string): string {
  const end = start - 1;
  if (text[end] !== " ") return name;
  const wordStart = runStart(text, end, alnumBits, 20);
  return wordStart === end ? name : `${text.slice(wordStart, end)} ${name}`;
}

/** Blank, tab, `?`, `*` or `]`. */
function isGap(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x3f || code === 0x2a || code === 0x5d;
}

/** Whether a key is one of a URL's query or a form body: it follows `?` or `&`, or its value ends at `&`. */
export function isPairKey(text: string, key: FieldKey, at: number, ends: RunEnds): boolean {
  if (key.isQuoted || text[at] !== "=" || text[at + 1] === "=" || key.name.startsWith(".")) return false;
  const before = text[(hasEncodedStart(text, key) ? encodedStart(text, key.start) : key.start) - 1] ?? "";
  if (before === "&" || before === "?") return true;
  if (before !== "" && (charClass(before.charCodeAt(0)) & (spaceBit | quoteBit)) === 0 && !",;:({[=".includes(before))
    return false;
  const end = unquotedEnd(text, at + 1, true, ends);
  return text[end] === "&" && /^&[A-Za-z_][\w.%-]{0,63}=/.test(text.slice(end, end + 68));
}

/** A pair's key with its percent escapes decoded, separators that hide in it left out. */
export function decodedKey(text: string, key: FieldKey): string {
  if (!hasEncodedStart(text, key)) return key.name;
  const raw = text.slice(encodedStart(text, key.start), key.start) + key.name;
  try {
    return decodeURIComponent(raw).replace(/[^\w.-]/g, "");
  } catch {
    return raw;
  }
}

/** True where what was read as the name follows a `%`, or a character that keys are broken up with. */
function hasEncodedStart(text: string, key: FieldKey): boolean {
  const before = text.charCodeAt(key.start - 1);
  return before === 0x25 || before === 0x2b || before > 0x7f;
}

function encodedStart(text: string, from: number): number {
  const lowest = Math.max(0, from - longestKey);
  let start = from;
  while (start > lowest && !/[\s?&"'`<>=:,;()]/.test(text.charAt(start - 1))) start -= 1;
  return start;
}
