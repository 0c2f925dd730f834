import { isDeclared } from "./code-value.ts";
import { decodedKey, type FieldKey, fieldKey, isPairKey } from "./field-key.ts";
import { type QuotedValue, quotedValue, type RunEnds, unquotedEnd, valueStart } from "./field-value.ts";
import { authorizationMask, cookieMask } from "./http-header.ts";
import { fullMask, type Mask, maskValue } from "./mask.ts";
import { privateKeyText } from "./private-key.ts";
import { looksRandom } from "./random-text.ts";
import { type SecretKind, secretKind } from "./secret-key.ts";
import { isHiddenText, isHiddenValue, isReference } from "./secret-value.ts";

/** The value of the field whose `=` or `:` is at `at`, where its name says that it is secret. */
export function fieldMask(text: string, at: number, isInQuery: boolean, ends: RunEnds): Mask | undefined {
  const key = fieldKey(text, at);
  if (key === undefined) return undefined;
  const kind = fieldKind(text, key);
  if (kind === "none") return undefined;
  const isPair = isPairKey(text, key, at, ends);
  if (kind === "pair" && !isPair && !(key.isQuoted && key.name === "auth")) return undefined;
  const valueAt = blockValueStart(text, valueStart(text, at, key.isQuoted || text.charCodeAt(key.start - 1) === 0x3a));
  if (valueAt === undefined) return undefined;
  const isForm = isPair && !isInQuery;
  const quoted = quotedValue(text, valueAt);
  if (quoted !== undefined) return quotedMask(text, at, quoted, key, kind, isForm);
  if (kind === "cookie") return cookieMask(text, valueAt);
  if (kind === "header") return isDeclared(text, key.start) ? undefined : authorizationMask(text, valueAt);
  const end = unquotedEnd(text, valueAt, isPair, ends);
  const value = text.slice(valueAt, end);
  if (value === `$${key.name}`) return undefined;
  const isHidden = isPair
    ? value !== "" && !isReference(value)
    : isHiddenValue(value, {
        kind,
        separator: text[at] === ":" ? ":" : "=",
        name: key.name,
        isComparison: isComparisonAt(text, at),
        keyStart: key.start,
        isSpaced: valueAt > at + 1,
        text,
        end,
      });
  if (!isHidden) return undefined;
  return { start: valueAt, end, replacement: isForm ? fullMask : maskValue(value) };
}

/** What the name says; for a `value` beside a `name`, as lists of variables have it, what that name says. */
function fieldKind(text: string, key: FieldKey): SecretKind {
  if (key.name !== "value") return secretKind(decodedKey(text, key));
  const found = nameBeside.exec(text.slice(Math.max(0, key.start - 96), key.start));
  return found === null ? "none" : secretKind(found[1] ?? "");
}

const nameBeside =
  /\b(?:name|key)(?:\\*["'])?[ \t]*[:=][ \t]*(?:\\*["'])?([\w.-]{1,80})(?:\\*["'])?,?\s*(?:\\*["'])?$/i;

/** YAML's `|` and `>`: the value is the next line. */
function blockValueStart(text: string, at: number | undefined): number | undefined {
  const code = at === undefined ? 0 : text.charCodeAt(at);
  if (at === undefined || (code !== 0x7c && code !== 0x3e)) return at;
  const found = /^[|>][+-]?\d?[ \t]*\r?\n[ \t]+/.exec(text.slice(at, at + 80));
  return at + (found?.[0].length ?? 0);
}

function quotedMask(
  text: string,
  at: number,
  { start, end }: QuotedValue,
  key: FieldKey,
  kind: SecretKind,
  isForm: boolean,
): Mask | undefined {
  const value = text.slice(start, end);
  if (kind === "pair" && !isForm && key.isQuoted && !looksRandom(value)) return undefined;
  if (!key.isQuoted && closesEarlierText(value)) return undefined;
  if (!isHiddenText(value, kind, key.name, isComparisonAt(text, at))) return undefined;
  if (kind === "header" && /^[A-Za-z]+ *(?:\$?\{[^{}]*\}+)?$/.test(value)) return undefined;
  if (isForm || (key.isQuoted && isHeaderName(kind, key.name))) return { start, end, replacement: fullMask };
  return { start, end, replacement: privateKeyText(value) ?? maskValue(value) };
}

/** `==`, `===` or `!=`. */
function isComparisonAt(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === 0x3d || text.charCodeAt(at - 1) === 0x21;
}

/** `'password:', x`: what looks like the opening quote of a value ends a text, as only punctuation and code follow it. */
function closesEarlierText(value: string): boolean {
  return /^(?:\s*[,+)\]};:?.]+(?:\s|$)|\s*$)/.test(value);
}

/** Header names, whose values in JSON are hidden whole. */
function isHeaderName(kind: SecretKind, name: string): boolean {
  return kind === "cookie" || kind === "header" || /^x-(?:api-key|auth-token)$/i.test(name);
}
