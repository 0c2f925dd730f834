import { decodedKey, type FieldKey, fieldKey, isPairKey } from "./field-key.ts";
import { type QuotedValue, quotedValue, type RunEnds, unquotedEnd, valueStart } from "./field-value.ts";
import { authorizationMask, cookieMask } from "./http-header.ts";
import { fullMask, type Mask, maskValue } from "./mask.ts";
import { privateKeyText } from "./private-key.ts";
import { type SecretKind, secretKind } from "./secret-key.ts";
import { isHiddenValue, isReference, looksRandom } from "./secret-value.ts";

/** The value of the field whose `=` or `:` is at `at`, where its name says that it is secret. */
export function fieldMask(text: string, at: number, isInQuery: boolean, ends: RunEnds): Mask | undefined {
  const key = fieldKey(text, at);
  if (key === undefined) return undefined;
  const kind = fieldKind(text, key);
  if (kind === "none") return undefined;
  const isPair = isPairKey(text, key, at, ends);
  if (kind === "pair" && !isPair && !(key.isQuoted && key.name === "auth")) return undefined;
  const valueAt = blockValueStart(text, valueStart(text, at, key.isQuoted));
  if (valueAt === undefined) return undefined;
  const isForm = isPair && !isInQuery;
  const quoted = quotedValue(text, valueAt);
  if (quoted !== undefined) return quotedMask(text, quoted, key, kind, isForm);
  if (kind === "cookie") return cookieMask(text, valueAt);
  if (kind === "header") return authorizationMask(text, valueAt);
  const end = unquotedEnd(text, valueAt, isPair, ends);
  const value = text.slice(valueAt, end);
  const isHidden = isPair
    ? value !== "" && !isReference(value)
    : isHiddenValue(value, {
        kind,
        separator: text[at] === ":" ? ":" : "=",
        isSpaced: valueAt > at + 1,
        rest: text.slice(end, end + 24),
      });
  if (!isHidden) return undefined;
  return { start: valueAt, end, replacement: isForm ? fullMask : maskValue(value) };
}

/** What the name says; for a `value` beside a `name`, as lists of variables have it, what that name says. */
function fieldKind(text: string, key: FieldKey): SecretKind {
  if (key.name !== "value") return secretKind(decodedKey(text, key));
  const found = nameBeside.exec(text.slice(Math.max(0, key.start - 160), key.start));
  return found === null ? "none" : secretKind(found[1] ?? "");
}

const nameBeside =
  /\b(?:name|key)(?:\\*["'])?[ \t]*[:=][ \t]*(?:\\*["'])?([\w.-]{1,80})(?:\\*["'])?,?\s*(?:\\*["'])?$/i;

/** YAML's `|` and `>`: the value is the next line. */
function blockValueStart(text: string, at: number | undefined): number | undefined {
  if (at === undefined || !"|>".includes(text.charAt(at) || "x")) return at;
  const found = /^[|>][+-]?\d?[ \t]*\r?\n[ \t]+/.exec(text.slice(at, at + 80));
  return at + (found?.[0].length ?? 0);
}

function quotedMask(
  text: string,
  { start, end }: QuotedValue,
  key: FieldKey,
  kind: SecretKind,
  isForm: boolean,
): Mask | undefined {
  const value = text.slice(start, end);
  if (value === "" || isReference(value) || (kind === "weak" && value.length < 12)) return undefined;
  if (kind === "pair" && !isForm && key.isQuoted && !looksRandom(value)) return undefined;
  if (kind === "header" && /^[A-Za-z]+ *(?:\$?\{[^{}]*\}+)?$/.test(value)) return undefined;
  if (isForm || (key.isQuoted && isHeaderName(kind, key.name))) return { start, end, replacement: fullMask };
  return { start, end, replacement: privateKeyText(value) ?? maskValue(value) };
}

/** Header names, whose values in JSON are hidden whole. */
function isHeaderName(kind: SecretKind, name: string): boolean {
  return kind === "cookie" || kind === "header" || /^x-(?:api-key|auth-token)$/i.test(name);
}
