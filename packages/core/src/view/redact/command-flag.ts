import { runEnd, wordBits } from "./char-class.ts";
import { newRunEnds, quotedValue, unquotedEnd } from "./field-value.ts";
import { type Mask, maskValue } from "./mask.ts";

import { namesSecret } from "./secret-key.ts";
import { isHiddenValue, isReference } from "./secret-value.ts";

const longestName = 64;

/** The value after a flag such as `--token abc`; `--token=abc` is a field. `at` is the first dash. */
export function flagMask(text: string, at: number): Mask | undefined {
  const nameEnd = runEnd(text, at, wordBits, longestName);
  if (text[nameEnd] !== " ") return undefined;
  const name = text.slice(at + 2, nameEnd);
  if (name === "" || !namesSecret(name)) return undefined;
  let start = nameEnd;
  while (text[start] === " ") start += 1;
  const quoted = quotedValue(text, start);
  if (quoted !== undefined) {
    const value = text.slice(quoted.start, quoted.end);
    return value === "" || isReference(value) ? undefined : { ...quoted, replacement: maskValue(value) };
  }
  const end = unquotedEnd(text, start, false, newRunEnds());
  const value = text.slice(start, end);
  if (value.startsWith("-")) return undefined;
  const isHidden = isHiddenValue(value, {
    kind: "password",
    separator: " ",
    isSpaced: true,
    name: name,
    isComparison: false,
    keyStart: at,
    text,
    end,
  });
  return isHidden ? { start, end, replacement: maskValue(value) } : undefined;
}

/** The password after `-u name:`, as `curl` takes it; `at` is the dash. Numbers on both sides are no password. */
export function userFlagMask(text: string, at: number): Mask | undefined {
  const found = /^-u[ \t]{1,8}["']?([^\s:"'`/]{1,128}):/.exec(text.slice(at, at + 144));
  if (found === null || !/^$|\s/.test(text.charAt(at - 1))) return undefined;
  const start = at + found[0].length;
  const end = unquotedEnd(text, start, false, newRunEnds());
  const value = text.slice(start, end);
  if (value === "" || /^\d+$/.test(value) || isReference(value)) return undefined;
  return { start, end, replacement: maskValue(value) };
}
