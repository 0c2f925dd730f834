import {
  alnumBits,
  charClass,
  digitBit,
  dotBit,
  runEnd,
  runStart,
  upperBit,
  wideBits,
  wordBits,
} from "./char-class.ts";
import { afterEscape } from "./field-key.ts";
import { type Mask, maskValue } from "./mask.ts";
import { hasManyCapitals } from "./random-text.ts";
import { anchorKey, type VendorPrefix, vendorPrefixes } from "./vendor-prefixes.ts";

/** The word run that was looked through last, with `-` and `_` as parts of it; keeps a scan linear. */
export interface TokenSearch {
  from: number;
  end: number;
  /** `charClass` bits of the whole run, lower case letters not among them. */
  bits: number;
}

/** What a scan starts with. */
export function newTokenSearch(): TokenSearch {
  return { from: 0, end: -1, bits: 0 };
}

/** The vendor token whose first word is `[start, end)`, the word being followed by `_`, `-`, `.` or `/`. */
export function prefixedToken(text: string, start: number, end: number, search: TokenSearch): Mask | undefined {
  const group = vendorPrefixes.get(anchorKey(text.charCodeAt(end - 2), text.charCodeAt(end - 1)));
  if (group === undefined) return undefined;
  for (const candidate of group) {
    const at = end - candidate.anchor;
    if (at < start || !text.startsWith(candidate.prefix, at)) continue;
    const bodyStart = at + candidate.prefix.length;
    if (candidate.ambiguous && isMidWord(text, at) && !mayBeRandom(text, bodyStart, search)) continue;
    const bodyEnd = trimTail(text, bodyStart, runEnd(text, bodyStart, candidate.body));
    if (bodyEnd - bodyStart < candidate.minBody) continue;
    if (candidate.ambiguous && !isLikelyToken(text, at, text.slice(bodyStart, bodyEnd), candidate)) continue;
    const tokenStart = text.startsWith("FlyV1 fm", at - 6) ? at - 6 : at;
    return { start: tokenStart, end: bodyEnd, replacement: maskValue(text.slice(tokenStart, bodyEnd)) };
  }
  return undefined;
}

function isMidWord(text: string, at: number): boolean {
  if ((charClass(text.charCodeAt(at - 1)) & wordBits) === 0) return false;
  return afterEscape(text, at - 1) !== at;
}

/** Whether the rest of the word run holds what a token inside a longer word must hold: digits and capitals. */
function mayBeRandom(text: string, from: number, search: TokenSearch): boolean {
  if (from < search.from || from > search.end) {
    search.from = from;
    search.bits = 0;
    let index = from;
    for (
      let bits = charClass(text.charCodeAt(index));
      (bits & wordBits) !== 0;
      bits = charClass(text.charCodeAt(index))
    ) {
      search.bits |= bits;
      index += 1;
    }
    search.end = index;
  }
  return (search.bits & digitBit) !== 0 && (search.bits & upperBit) !== 0;
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

function isLikelyToken(text: string, at: number, body: string, { prefix }: VendorPrefix): boolean {
  if (/[-_]/.test(body) && isSlug(body.replaceAll("_", "-"))) return false;
  if (isMidWord(text, at)) return /\d/.test(body) && /[a-z]/.test(body) && /[A-Z]/.test(body) && body.length >= 20;
  if (prefix === "sk-") return true;
  return /\d/.test(body) || (body.length >= 16 && (!/[A-Z]/.test(body) || hasManyCapitals(body)));
}

/** Words and small numbers joined by `-`, such as `learning-rate`: never a token. */
function isSlug(body: string): boolean {
  if (/^(?:proj|ant|or|svcacct|admin|live|test)-/.test(body)) return false;
  return body.includes("-") && body.split("-").every((part) => /^(?:[A-Za-z]?[a-z]{0,14}\d{0,4})$/.test(part));
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

function trimTail(text: string, start: number, end: number): number {
  let index = end;
  while (index > start && (charClass(text.charCodeAt(index - 1)) & alnumBits) === 0) {
    if (text.charCodeAt(index - 1) === 0x3d) break;
    index -= 1;
  }
  return index;
}

/** The first letters of a token without a separator that stand at `index`. */
function bareNameAt(text: string, index: number): string | undefined {
  const names = bareNames[text.charCodeAt(index)];
  return names?.find((name) => text.startsWith(name, index));
}

const bareNames: readonly (readonly string[] | undefined)[] = byFirstUnit(
  "AKIA ASIA ABIA ACCA AIza AKID LTAI eyJ dapi gAAAA GR1348941 ATATT ATCTT3 ATBB".split(" "),
);

function byFirstUnit(names: readonly string[]): (string[] | undefined)[] {
  const table: (string[] | undefined)[] = [];
  for (const name of names) {
    const unit = name.charCodeAt(0);
    table[unit] = [...(table[unit] ?? []), name];
  }
  return table;
}

/** A token that is known by its first letters alone, in the word `[start, end)`: at its start, in a long word anywhere. */
export function bareToken(text: string, start: number, end: number): Mask | undefined {
  const last = end - start < 12 ? start : end - 3;
  let failed = "";
  for (let at = start; at <= last; at += 1) {
    const name = bareNameAt(text, at);
    if (name === undefined || failed.includes(name)) continue;
    const tokenEnd = bareTokenEnd(text, at, name);
    if (tokenEnd === undefined) {
      if (runsToWordEnd.has(name)) failed += name;
    } else if (!isInsideBase64(text, at)) {
      return { start: at, end: tokenEnd, replacement: maskValue(text.slice(at, tokenEnd)) };
    }
  }
  return undefined;
}

/** Where one of these fails inside a word, a later one in the same word fails for the same reason. */
const runsToWordEnd = new Set(["eyJ", "AKID", "LTAI"]);

function bareTokenEnd(text: string, at: number, name: string): number | undefined {
  switch (name) {
    case "eyJ":
      return jsonWebTokenEnd(text, at);
    case "AKIA":
    case "ASIA":
    case "ABIA":
    case "ACCA":
      return atLeast(at, runEnd(text, at, upperBit | digitBit), 20);
    case "AKID":
    case "LTAI": {
      const end = atLeast(at, runEnd(text, at, alnumBits), 14);
      return end !== undefined && /\d|[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]/.test(text.slice(at, Math.min(end, at + 256)))
        ? end
        : undefined;
    }
    case "dapi": {
      const body = /^[0-9a-f]{32}(?:-\d)?/.exec(text.slice(at + 4, at + 39));
      return body === null ? undefined : at + 4 + body[0].length;
    }
    case "AIza":
    case "GR1348941":
      return atLeast(at, trimTail(text, at, runEnd(text, at, wordBits)), 24);
    default:
      return atLeast(at, trimTail(text, at, runEnd(text, at, wideBits)), 20);
  }
}

/** Three parts of which the first two are long, or two long ones where the signature is missing. */
function jsonWebTokenEnd(text: string, at: number): number | undefined {
  const firstEnd = runEnd(text, at, wordBits);
  if (text.charCodeAt(firstEnd) !== 0x2e || firstEnd - at < 10) return undefined;
  const second = firstEnd + 1;
  const secondEnd = runEnd(text, second, wordBits);
  if (secondEnd - second < 4) return undefined;
  if (text.charCodeAt(secondEnd) === 0x2e && secondEnd - second >= 4) {
    const end = trimTail(text, at, runEnd(text, secondEnd, wordBits | dotBit));
    if (end > secondEnd) return end;
  }
  return text.startsWith("eyJ", second) && secondEnd - second >= 17 && firstEnd - at >= 17 ? secondEnd : undefined;
}

function atLeast(start: number, end: number, length: number): number | undefined {
  return end - start >= length ? end : undefined;
}

/** Far inside an unbroken run of base64 characters a match is chance. */
function isInsideBase64(text: string, at: number): boolean {
  return at - runStart(text, at, wideBits, 40) >= 40;
}
