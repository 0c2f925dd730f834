import { alnumBits, charClass, dottedBits, quoteBit, runStart, spaceBit } from "./char-class.ts";
import { authorizationMask, cookieMask } from "./http-header.ts";
import { fullMask, type Mask, maskValue } from "./mask.ts";
import { privateKeyText } from "./private-key.ts";
import { secretKind } from "./secret-key.ts";
import { isHiddenValue, isReference } from "./secret-value.ts";

/** Whether the field is one of a URL's query, or of a form body; elsewhere neither. */
export type PairContext = "query" | "form" | "none";

interface Key {
  readonly name: string;
  readonly start: number;
  readonly isQuoted: boolean;
}

/** The value of the field whose `=` or `:` is at `at`, where its name says that it is secret. */
export function fieldMask(text: string, at: number, isInQuery: boolean): Mask | undefined {
  const separator = text[at] === ":" ? ":" : "=";
  const key = keyBefore(text, at);
  if (key === undefined) return undefined;
  const isPair = separator === "=" && isPairKey(text, key, at);
  const kind = secretKind(isPair ? decodedName(text, key) : key.name);
  if (kind === "none" || (kind === "pair" && !isPair)) return undefined;
  const valueAt = valueStart(text, at, separator, key.isQuoted);
  if (valueAt === undefined) return undefined;
  const quoted = quotedValue(text, valueAt);
  const pair: PairContext = isPair ? (isInQuery ? "query" : "form") : "none";
  if (quoted !== undefined) return quotedMask(text, quoted, key, kind, pair);
  if (kind === "cookie") return cookieMask(text, valueAt);
  if (kind === "header") return authorizationMask(text, valueAt);
  const end = unquotedEnd(text, valueAt, isPair);
  const value = text.slice(valueAt, end);
  const isHidden =
    isPair && !isReference(value)
      ? value !== ""
      : isHiddenValue(value, { kind, separator, isSpaced: valueAt > at + 1, rest: text.slice(end, end + 24) });
  if (!isHidden) return undefined;
  return { start: valueAt, end, replacement: pair === "form" ? fullMask : maskValue(value) };
}

function quotedMask(text: string, quoted: Quoted, key: Key, kind: string, pair: PairContext): Mask | undefined {
  const value = text.slice(quoted.start, quoted.end);
  if (value === "" || isReference(value)) return undefined;
  if (kind === "weak" && value.length < 12) return undefined;
  const isHeader = kind === "cookie" || kind === "header" || /^x-(?:api-key|auth-token)$/i.test(key.name);
  if (kind === "header" && /^[A-Za-z]+ *(?:\$?\{[^{}]*\}+)?$/.test(value)) return undefined;
  const replacement =
    pair === "form" || (isHeader && key.isQuoted) ? fullMask : (privateKeyText(value) ?? maskValue(value));
  return { start: quoted.start, end: quoted.end, replacement: value === fullMask ? value : replacement };
}

function keyBefore(text: string, at: number): Key | undefined {
  let end = at;
  if (text[at] === "=" && text[end - 1] === ":") end -= 1;
  while (end > 0 && at - end < 24 && " \t?*]".includes(text[end - 1] ?? "x")) end -= 1;
  const before = text.charCodeAt(end - 1);
  if ((charClass(before) & quoteBit) !== 0) {
    let keyEnd = end - 1;
    while (text[keyEnd - 1] === "\\") keyEnd -= 1;
    const start = runStart(text, keyEnd, dottedBits, 80);
    if (start === keyEnd || text.charCodeAt(start - 1) !== before) return undefined;
    return { name: text.slice(start, keyEnd), start, isQuoted: true };
  }
  if ((charClass(before) & alnumBits) === 0) return undefined;
  const start = runStart(text, end, dottedBits, 80);
  const name = text.slice(start, end);
  return { name: /^keys?$/i.test(name) ? withPreviousWord(text, start, name) : name, start, isQuoted: false };
}

/** `API key: …`: the word in front of a lone `key` says what kind of key it is. */
function withPreviousWord(text: string, start: number, name: string): string {
  const end = start - 1;
  if (text[end] !== " " && text[end] !== "-") return name;
  const wordStart = runStart(text, end, alnumBits, 20);
  return wordStart === end ? name : `${text.slice(wordStart, end)} ${name}`;
}

/** A key after `?` or `&`, or one whose value ends at `&`. */
function isPairKey(text: string, key: Key, at: number): boolean {
  if (key.isQuoted) return false;
  let before = text[key.start - 1] ?? "";
  if (before === "%") before = text[pairKeyStart(text, at) - 1] ?? "";
  if (before === "&" || before === "?") return true;
  if (before !== "" && !/[\s,;:"'`({[=]/.test(before)) return false;
  const end = unquotedEnd(text, at + 1, true);
  return text[end] === "&" && /^&[A-Za-z_][\w.%-]{0,63}=/.test(text.slice(end, end + 68));
}

function pairKeyStart(text: string, at: number): number {
  const lowest = Math.max(0, at - 128);
  let start = at;
  while (start > lowest && !/[\s?&"'`<>=]/.test(text[start - 1] ?? " ")) start -= 1;
  return start;
}

function decodedName(text: string, key: Key): string {
  if (text[key.start - 1] !== "%") return key.name;
  const start = pairKeyStart(text, key.start);
  const raw = text.slice(start, key.start) + key.name;
  try {
    return decodeURIComponent(raw).replace(/[^\w.-]/g, "");
  } catch {
    return raw;
  }
}

function valueStart(text: string, at: number, separator: ":" | "=", isKeyQuoted: boolean): number | undefined {
  let index = at + 1;
  if (separator === ":" && (text[index] === "=" || text[index] === ":" || text.startsWith("//", index)))
    return undefined;
  while (separator === "=" && (text[index] === "=" || text[index] === ">")) index += 1;
  const skipsLines = isKeyQuoted ? 8 : 0;
  for (let lines = 0; ; index += 1) {
    const character = text[index];
    if (character === "\n" && lines < skipsLines) lines += 1;
    else if (character !== " " && character !== "\t" && !(character === "\r" && isKeyQuoted)) break;
  }
  if (separator === ":" && text.startsWith("**", index)) {
    index += 2;
    while (text[index] === " ") index += 1;
  }
  const isPrefixed = /[bfruBFRU]/.test(text[index] ?? "") && /["']/.test(text[index + 1] ?? "");
  return isPrefixed ? index + 1 : index;
}

/** A value between quotes: what is inside, without the quotes and their backslashes. */
export interface Quoted {
  readonly start: number;
  readonly end: number;
}

/** The quoted value that starts at `at`, escaped quotes included; one without an end runs to the end of its line. */
export function quotedValue(text: string, at: number): Quoted | undefined {
  let open = at;
  while (text[open] === "\\") open += 1;
  const quote = text.charCodeAt(open);
  if ((charClass(quote) & quoteBit) === 0) return undefined;
  const depth = open - at;
  const start = open + (text.startsWith(text.charAt(open).repeat(3), open) ? 3 : 1);
  let backslashes = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || code === 0x0d) return { start, end: index };
    if (code === 0x5c) backslashes += 1;
    else {
      const isClosing = code === quote && (depth === 0 ? backslashes % 2 === 0 : backslashes <= depth);
      if (isClosing) return { start, end: index - (depth === 0 ? 0 : backslashes) };
      backslashes = 0;
    }
  }
  return { start, end: text.length };
}

/** The end of an unquoted value; closing punctuation behind it is not a part of it. */
export function unquotedEnd(text: string, from: number, isPair: boolean): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if ((charClass(code) & (spaceBit | quoteBit)) !== 0 || code === 0x3c || code === 0x3e) break;
    if (isPair && (code === 0x26 || code === 0x23)) break;
    if (code === 0x5c && /[nrt"'\\]/.test(text[end + 1] ?? "")) break;
  }
  while (end > from && ",;)}]".includes(text[end - 1] ?? " ")) end -= 1;
  return end;
}
