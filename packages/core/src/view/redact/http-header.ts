import { charClass, quoteBit, runEnd, spaceBit, wideBits } from "./char-class.ts";
import { fullMask, type Mask, maskValue } from "./mask.ts";
import { looksRandom } from "./random-text.ts";
import { isReference } from "./secret-value.ts";

const schemes =
  /^(?:bearer|basic|bot|token|digest|negotiate|hawk|ntlm|apikey|api-key|aws4-hmac-sha256|key|oauth|dpop|jwt)$/i;
const minBearerUnits = 18;

/** The credential of an `Authorization` header whose value starts at `at`; the scheme in front of it stays. */
export function authorizationMask(text: string, at: number): Mask | undefined {
  if (/^[A-Za-z_$][\w$.]{0,60}\(/.test(text.slice(at, at + 64))) return undefined;
  const firstEnd = credentialEnd(text, at);
  const first = text.slice(at, firstEnd);
  if (first === "") return undefined;
  const secondAt = skipBlanks(text, firstEnd);
  const secondEnd = secondAt > firstEnd ? credentialEnd(text, secondAt) : secondAt;
  const second = text.slice(secondAt, secondEnd);
  if (second !== "" && /^[A-Za-z][\w+-]{0,31}$/.test(first)) {
    const isKnown = schemes.test(first);
    if (!isKnown && !looksRandom(second)) return undefined;
    if (isReference(second)) return undefined;
    if (/^[A-Za-z][\w-]*=(?!=*$)/.test(second) || /^[A-Za-z][\w-]*=$/.test(second))
      return parametersMask(text, secondAt);
    return { start: secondAt, end: secondEnd, replacement: maskValue(second) };
  }
  const isOpaque = !isReference(first) && first.length >= 8 && (/\d/.test(first) || first.length >= 20);
  return isOpaque ? { start: at, end: firstEnd, replacement: maskValue(first) } : undefined;
}

/** A `Cookie` or `Set-Cookie` header's whole value, up to the end of its line. */
export function cookieMask(text: string, at: number): Mask | undefined {
  if (!/^[^\s=;,"'<>]{1,128}=/.test(text.slice(at, at + 129))) return undefined;
  return { start: at, end: lineEnd(text, at, 0), replacement: fullMask };
}

/** The credential behind a `Bearer` that ends at `wordEnd`: 18 characters and more; behind a longer word, with a digit. */
export function bearerMask(text: string, wordEnd: number, isWholeWord: boolean): Mask | undefined {
  const start = skipBlanks(text, wordEnd);
  if (start === wordEnd) return undefined;
  let end = runEnd(text, start, wideBits);
  while (text[end] === "~") end = runEnd(text, end + 1, wideBits);
  if (end - start < minBearerUnits || (!isWholeWord && !/\d/.test(text.slice(start, end)))) return undefined;
  return { start, end, replacement: maskValue(text.slice(start, end)) };
}

/** `name=value, …`: everything up to an unquoted `;`, the end of the line or of the string that holds the header. */
function parametersMask(text: string, at: number): Mask {
  const end = lineEnd(text, at, 0x3b);
  return { start: at, end, replacement: fullMask };
}

function lineEnd(text: string, from: number, stop: number): number {
  let quote = 0;
  let index = from;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || code === 0x0d) break;
    if (code === 0x5c) index += 1;
    else if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === stop) break;
    else if ((charClass(code) & quoteBit) !== 0) {
      if (text.charCodeAt(index - 1) !== 0x3d) break;
      quote = code;
    }
  }
  return Math.min(index, text.length);
}

function credentialEnd(text: string, from: number): number {
  let end = from;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if ((charClass(code) & (spaceBit | quoteBit)) !== 0 || code === 0x2c || code === 0x3b || code === 0x5c) break;
  }
  while (end > from && ")}]".includes(text[end - 1] ?? " ")) end -= 1;
  return end;
}

function skipBlanks(text: string, from: number): number {
  let index = from;
  while (text[index] === " " || text[index] === "\t") index += 1;
  if (index === from && /^\\[nrt]/.test(text.slice(index, index + 2))) return index + 2;
  return index;
}
