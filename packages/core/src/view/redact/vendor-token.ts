import { charClass, dotBit, runEnd, wordBits } from "./char-class.ts";
import { afterEscape } from "./field-key.ts";
import { type Mask, maskValue } from "./mask.ts";
import { countClasses, hasManyCapitals } from "./random-text.ts";
import { type TokenSearch, trimTail, wordRun } from "./token-search.ts";
import { anchorKey, type VendorPrefix, vendorPrefixes } from "./vendor-prefixes.ts";

/** How much of a body tells whether it is random. */
const window = 64;
const shortestInWord = 20;

/** The vendor token whose first word is `[start, end)`, the word being followed by `_`, `-`, `.` or `/`. */
export function prefixedToken(text: string, start: number, end: number, search: TokenSearch): Mask | undefined {
  const group = vendorPrefixes.get(anchorKey(text.charCodeAt(end - 2), text.charCodeAt(end - 1)));
  if (group === undefined) return undefined;
  for (const candidate of group) {
    const at = end - candidate.anchor;
    if (at < start || !text.startsWith(candidate.prefix, at)) continue;
    const bodyStart = at + candidate.prefix.length;
    if (candidate.ambiguous && !isLikelyToken(text, at, bodyStart, candidate, search)) continue;
    const bodyEnd = trimTail(text, bodyStart, runEnd(text, bodyStart, candidate.body));
    if (bodyEnd - bodyStart < candidate.minBody) continue;
    const tokenStart = text.startsWith("FlyV1 fm", at - 6) ? at - 6 : at;
    return { start: tokenStart, end: bodyEnd, replacement: maskValue(text.slice(tokenStart, bodyEnd)) };
  }
  return undefined;
}

function isLikelyToken(
  text: string,
  at: number,
  bodyStart: number,
  { prefix, body: bits, minBody }: VendorPrefix,
  search: TokenSearch,
): boolean {
  const isInWord = isMidWord(text, at);
  if (isInWord && !wordRun(text, bodyStart, search).isMixed) return false;
  const body = text.slice(bodyStart, runEnd(text, bodyStart, bits, window));
  if (body.length < minBody || isSlug(body)) return false;
  const { digits, capitals, small } = countClasses(body);
  if (isInWord) return digits > 0 && capitals > 0 && small > 0 && body.length >= shortestInWord;
  return prefix === "sk-" || digits > 0 || (body.length >= 16 && (capitals === 0 || hasManyCapitals(body)));
}

function isMidWord(text: string, at: number): boolean {
  if ((charClass(text.charCodeAt(at - 1)) & wordBits) === 0) return false;
  return afterEscape(text, at - 1) !== at;
}

const tokenParts = /^(?:proj|ant|or|svcacct|admin|live|test)-/;

/** Words and small numbers joined by `-` or `_`, such as `learning-rate`: never a token. */
function isSlug(body: string): boolean {
  if (tokenParts.test(body)) return false;
  let joints = 0;
  let letters = 0;
  let digits = 0;
  for (let index = 0; index < body.length; index += 1) {
    const code = body.charCodeAt(index);
    if (code === 0x2d || code === 0x5f) {
      joints += 1;
      letters = 0;
      digits = 0;
    } else if (code <= 0x39) digits += 1;
    else if (digits > 0 || (code < 0x60 && letters > 0)) return false;
    else letters += 1;
    if (letters > 15 || digits > 4) return false;
  }
  return joints > 0;
}

/** A Google refresh token, `1//0` and more, the `1` of which is in front of `end`. */
export function refreshToken(text: string, end: number): Mask | undefined {
  const start = end - 1;
  if (!text.startsWith("1//0", start)) return undefined;
  const tokenEnd = trimTail(text, start + 4, runEnd(text, start + 4, wordBits | dotBit));
  const minLength = isMidWord(text, start) ? 24 : 14;
  if (tokenEnd - start < minLength) return undefined;
  return { start, end: tokenEnd, replacement: maskValue(text.slice(start, tokenEnd)) };
}

/** A SendGrid key, `SG.` and two parts; the `SG` ends at `end`. */
export function sendGridToken(text: string, end: number): Mask | undefined {
  const start = end - 2;
  if (!text.startsWith("SG.", start)) return undefined;
  const firstEnd = runEnd(text, end + 1, wordBits);
  if (firstEnd - end < 11 || text.charCodeAt(firstEnd) !== 0x2e) return undefined;
  const tokenEnd = trimTail(text, firstEnd, runEnd(text, firstEnd + 1, wordBits));
  if (tokenEnd - firstEnd < 11) return undefined;
  return { start, end: tokenEnd, replacement: maskValue(text.slice(start, tokenEnd)) };
}

const discordBody = /\.[\w-]{6}\.[\w-]{27,}/y;

/** A Discord bot's token: its id of 23 to 28 characters ends at `end`, inside or at the start of the word, two parts follow. */
export function discordToken(text: string, start: number, end: number): Mask | undefined {
  discordBody.lastIndex = end;
  if (!discordBody.test(text)) return undefined;
  const tokenEnd = discordBody.lastIndex;
  for (let at = Math.max(start, end - 28); end - at >= 23; at += 1) {
    const first = text.charCodeAt(at);
    if (first >= 0x4d && first <= 0x4f)
      return { start: at, end: tokenEnd, replacement: maskValue(text.slice(at, tokenEnd)) };
  }
  return undefined;
}
