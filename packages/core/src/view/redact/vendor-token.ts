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
import { type Mask, maskValue } from "./mask.ts";
import { anchorKey, anchorLength, type VendorPrefix, vendorPrefixes } from "./vendor-prefixes.ts";

/** The vendor token whose first word is `[start, end)`, the word being followed by `_`, `-`, `.` or `/`. */
export function prefixedToken(text: string, start: number, end: number): Mask | undefined {
  if (end - start === 1) return googleRefreshToken(text, start);
  const group = vendorPrefixes.get(anchorKey(text.charCodeAt(end - 2), text.charCodeAt(end - 1)));
  if (group === undefined) return undefined;
  for (const candidate of group) {
    const at = end - anchorLength(candidate.prefix);
    if (at < start || !text.startsWith(candidate.prefix, at)) continue;
    const bodyStart = at + candidate.prefix.length;
    const bodyEnd = trimTail(text, bodyStart, runEnd(text, bodyStart, candidate.body));
    if (bodyEnd - bodyStart < candidate.minBody) continue;
    if (candidate.ambiguous && !isLikelyToken(text, at, start, text.slice(bodyStart, bodyEnd), candidate)) continue;
    return { start: at, end: bodyEnd, replacement: maskValue(text.slice(at, bodyEnd)) };
  }
  return undefined;
}

function googleRefreshToken(text: string, start: number): Mask | undefined {
  if (!text.startsWith("1//0", start)) return undefined;
  const end = trimTail(text, start + 4, runEnd(text, start + 4, wordBits | dotBit));
  return end - start < 14 ? undefined : { start, end, replacement: maskValue(text.slice(start, end)) };
}

function isLikelyToken(text: string, at: number, wordStart: number, body: string, { prefix }: VendorPrefix): boolean {
  const isMidWord = at > wordStart || text.charCodeAt(at - 1) === 0x5f;
  if (isMidWord) return /\d/.test(body) && /[a-z]/.test(body) && /[A-Z]/.test(body) && body.length >= 20;
  if (prefix === "sk-") return !isSlug(body);
  if (/[-_]/.test(body) && isSlug(body.replaceAll("_", "-"))) return false;
  return /\d/.test(body) || (body.length >= 16 && !/[a-z][A-Z]/.test(body));
}

/** Words and small numbers joined by `-`, such as `learning-rate`: never a token. */
function isSlug(body: string): boolean {
  if (/^(?:proj|ant|or|svcacct|admin|live|test)-/.test(body)) return false;
  return body.includes("-") && body.split("-").every((part) => /^(?:[a-z]{1,15}|\d{0,3})$/.test(part));
}

function trimTail(text: string, start: number, end: number): number {
  let index = end;
  while (index > start && (charClass(text.charCodeAt(index - 1)) & alnumBits) === 0) {
    if (text.charCodeAt(index - 1) === 0x3d) break;
    index -= 1;
  }
  return index;
}

const bareNames = /AKIA|ASIA|ABIA|ACCA|AIza|AKID|LTAI|eyJ|dapi|gAAAA|GR1348941|ATATT|ATCTT3|ATBB/g;

/** True where the word at `start` may begin with the first letters of a token that has no separator. */
export function mayStartBareToken(text: string, start: number): boolean {
  const second = text.charCodeAt(start + 1);
  switch (text.charCodeAt(start)) {
    case 0x41: // A: AKIA ASIA ABIA ACCA AIza AKID ATATT
      return second < 0x60;
    case 0x4c: // LTAI
      return second === 0x54;
    case 0x47: // GR1348941
      return second === 0x52;
    case 0x65: // eyJ
      return second === 0x79 && text.charCodeAt(start + 2) === 0x4a;
    case 0x64: // dapi
      return second === 0x61 && text.charCodeAt(start + 2) === 0x70;
    case 0x67: // gAAAA
      return second === 0x41;
    default:
      return false;
  }
}

/** A token that is known by its first letters alone, inside the word `[start, end)`. */
export function bareToken(text: string, start: number, end: number): Mask | undefined {
  const word = text.slice(start, end);
  for (const found of word.matchAll(bareNames)) {
    const at = start + found.index;
    const tokenEnd = bareTokenEnd(text, at, found[0]);
    if (tokenEnd !== undefined && !isInsideBase64(text, at)) {
      return { start: at, end: tokenEnd, replacement: maskValue(text.slice(at, tokenEnd)) };
    }
  }
  return undefined;
}

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
      return end !== undefined && /\d/.test(text.slice(at, end)) ? end : undefined;
    }
    case "dapi": {
      const body = /^[0-9a-f]{32}(?:-\d)?(?![0-9A-Za-z])/.exec(text.slice(at + 4, at + 39));
      return body === null ? undefined : at + 4 + body[0].length;
    }
    case "AIza":
    case "GR1348941":
      return atLeast(at, trimTail(text, at, runEnd(text, at, wordBits)), 24);
    default:
      return atLeast(at, trimTail(text, at, runEnd(text, at, wideBits)), 20);
  }
}

/** Three parts of ten and more characters, or two long ones where the signature is missing. */
function jsonWebTokenEnd(text: string, at: number): number | undefined {
  const firstEnd = runEnd(text, at, wordBits);
  if (text.charCodeAt(firstEnd) !== 0x2e || firstEnd - at < 10) return undefined;
  const end = trimTail(text, at, runEnd(text, at, wordBits | dotBit));
  const parts = text.slice(at, end).split(".");
  const second = parts[1] ?? "";
  if (parts.length >= 3 && second.length >= 4) return end;
  return second.startsWith("eyJ") && second.length >= 17 && firstEnd - at >= 17 ? end : undefined;
}

function atLeast(start: number, end: number, length: number): number | undefined {
  return end - start >= length ? end : undefined;
}

/** Far inside an unbroken run of base64 characters a match is chance. */
function isInsideBase64(text: string, at: number): boolean {
  return at - runStart(text, at, wideBits, 40) >= 40;
}
