import { alnumBits, charClass, dottedBits, runStart } from "./char-class.ts";
import { type Mask, maskValue } from "./mask.ts";
import { looksRandom } from "./random-text.ts";
import { namesSecret, secretKind } from "./secret-key.ts";
import { isHiddenValue } from "./secret-value.ts";

const longestValue = 512;

/** The text of an XML element whose name is a secret's, `<password>…</password>`; `at` is the `>` of its open tag. */
export function elementMask(text: string, at: number): Mask | undefined {
  const nameStart = runStart(text, at, dottedBits, 80);
  const before = text.charCodeAt(nameStart - 1);
  if (nameStart === at || (before !== 0x3c && before !== 0x3a)) return undefined;
  if (!namesSecret(text.slice(nameStart, at))) return undefined;
  const start = at + 1;
  const found = /^[^<>\n]*(?=<\/)/.exec(text.slice(start, start + longestValue));
  const value = found?.[0] ?? "";
  const isHidden = isHiddenValue(value, {
    kind: "secret",
    separator: "=",
    isSpaced: false,
    name: text.slice(nameStart, at),
    isComparison: false,
    keyStart: nameStart,
    text,
    end: start + value.length,
  });
  return isHidden ? { start, end: start + value.length, replacement: maskValue(value) } : undefined;
}

/** The cell of a Markdown table beside one that names a secret, if it looks like one; `at` is the bar between them. */
export function cellMask(text: string, at: number): Mask | undefined {
  const end = cellTextEnd(text, at);
  const nameStart = runStart(text, end, dottedBits, 80);
  if (nameStart === end || (charClass(text.charCodeAt(end - 1)) & alnumBits) === 0) return undefined;
  const name = text.slice(nameStart, end);
  if (!namesSecret(name) || !isCellStart(text, nameStart)) return undefined;
  const found = /^[ `*"]*([^\s|`"*]+)(?=[ `*"]*(?:\||$|\n))/.exec(text.slice(at + 1, at + 1 + longestValue));
  const value = found?.[1] ?? "";
  const isPassword = secretKind(name) === "password" && /\d/.test(value) && value.length >= 6;
  if (found === null || !(isPassword || (/\d/.test(value) && looksRandom(value)))) return undefined;
  const start = at + 1 + found[0].length - value.length;
  return { start, end: start + value.length, replacement: maskValue(value) };
}

/** Where a cell's text ends, blanks, back-ticks and stars behind it left out. */
function cellTextEnd(text: string, at: number): number {
  const lowest = Math.max(0, at - 40);
  let end = at;
  while (end > lowest && isCellPadding(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

function isCellStart(text: string, nameStart: number): boolean {
  const before = text.charCodeAt(cellTextEnd(text, nameStart) - 1);
  return !(before > 0x20) || before === 0x7c;
}

function isCellPadding(code: number): boolean {
  return code === 0x20 || code === 0x60 || code === 0x2a;
}

/** The quoted word after `password` or `IDENTIFIED BY`, where it is no word of prose; the word is `[start, end)`. */
export function spokenPassword(text: string, start: number, end: number): Mask | undefined {
  const found = /^ {1,4}(["'`])([^\s"'`]{1,256})\1/.exec(text.slice(end, end + 264));
  if (found === null) return undefined;
  const word = text.slice(start, end);
  const isStatement = word === "PASSWORD" || (word === "BY" && text.slice(start - 11, start) === "IDENTIFIED ");
  const value = found[2] ?? "";
  if (!isStatement && !(/^password$/i.test(word) && /\d/.test(value))) return undefined;
  const valueStart = end + found[0].length - 1 - value.length;
  return { start: valueStart, end: valueStart + value.length, replacement: maskValue(value) };
}
