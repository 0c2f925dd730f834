import { awsSecret } from "./aws-secret.ts";
import { bareToken } from "./bare-token.ts";
import { alnumBits, charClass, digitBit, runEnd, runStart, spaceBit, upperBit, wordBits } from "./char-class.ts";
import { flagMask, userFlagMask } from "./command-flag.ts";
import { newRunEnds, type RunEnds } from "./field-value.ts";
import { bearerMask } from "./http-header.ts";
import { cellMask, elementMask, spokenPassword } from "./labelled-secret.ts";
import { type Mask, maskValue } from "./mask.ts";
import { isPrivateKeyEnd, orphanBody, type PrivateKeySearch, privateKeyBody, publicBlockEnd } from "./private-key.ts";
import { fieldMask } from "./secret-field.ts";
import { newTokenSearch, type TokenSearch } from "./token-search.ts";
import { type UrlSearch, urlSecret } from "./url-secret.ts";
import { discordToken, prefixedToken, refreshToken, sendGridToken } from "./vendor-token.ts";

const maxRounds = 8;

/**
 * Masks every secret in a text: private keys, vendor tokens, authorization headers, passwords and
 * query secrets in URLs, fields whose name says so. Linear in the text; masking its own result changes nothing.
 */
export function redactSecrets(text: string): { text: string; redacted: boolean } {
  let current = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const next = maskOnce(current);
    if (next === current) break;
    current = next;
  }
  return { text: current, redacted: current !== text };
}

/** One pass from left to right over a text; every mask found is applied and stepped over. */
function maskOnce(text: string): string {
  const keys: PrivateKeySearch = { nextBegin: -1, nextEnd: -1 };
  const urls: UrlSearch = { end: 0, nextAt: -1 };
  const ends = newRunEnds();
  const tokens = newTokenSearch();
  let output = "";
  let copied = 0;
  let index = 0;
  let base64Start = -1;
  let lastBreak = -1;
  let lastQuestion = -2;

  const apply = (mask: Mask | undefined): boolean => {
    if (mask === undefined || mask.start < copied) return false;
    output += text.slice(copied, mask.start) + mask.replacement;
    copied = mask.end;
    index = mask.end;
    base64Start = -1;
    return true;
  };

  while (index < text.length) {
    const code = text.charCodeAt(index);
    const bits = charClass(code);
    if ((bits & alnumBits) !== 0) {
      const start = index;
      let seen = 0;
      for (let wordBit = bits; (wordBit & alnumBits) !== 0; wordBit = charClass(text.charCodeAt(index))) {
        seen |= wordBit;
        index += 1;
      }
      if (base64Start < 0) base64Start = start;
      apply(wordMask(text, start, index, seen, tokens));
      continue;
    }
    if (code === 0x2f || code === 0x2b) {
      if (base64Start < 0) base64Start = index;
      index += 1;
      continue;
    }
    if (base64Start >= 0) {
      if (index - base64Start === 40 && base64Start >= urls.end && apply(awsSecret(text, base64Start, index))) continue;
      base64Start = -1;
    }
    if ((bits & spaceBit) !== 0) lastBreak = index;
    else if (code === 0x3f) lastQuestion = index;
    else if (code === 0x3d) {
      if (apply(fieldMask(text, index, lastQuestion > lastBreak, ends))) continue;
    } else if (code === 0x3a) {
      if (apply(colonMask(text, index, urls, ends))) continue;
    } else if (code === 0x2d && text.charCodeAt(index + 1) === 0x2d) {
      if (apply(dashMask(text, index, copied, keys))) continue;
      const publicEnd = publicBlockEnd(text, index, keys);
      if (publicEnd !== undefined) {
        index = publicEnd;
        continue;
      }
      index = runEnd(text, index, wordBits & ~alnumBits);
      continue;
    } else if (code === 0x2d && text.charCodeAt(index + 1) === 0x75) {
      if (apply(userFlagMask(text, index))) continue;
    } else if (code === 0x3e) {
      if (apply(elementMask(text, index))) continue;
    } else if (code === 0x7c) {
      if (apply(cellMask(text, index))) continue;
    } else if (code === 0x5c && "nrtbf".includes(text.charAt(index + 1))) {
      index += 2;
      continue;
    } else if (code === 0x2c && text.startsWith(";base64", index - 7)) {
      index = dataEnd(text, index + 1);
      continue;
    }
    index += 1;
  }
  if (index - base64Start === 40 && base64Start >= urls.end) apply(awsSecret(text, base64Start, index));
  return copied === 0 ? text : output + text.slice(copied);
}

function wordMask(text: string, start: number, end: number, seenBits: number, tokens: TokenSearch): Mask | undefined {
  const length = end - start;
  const next = text.charCodeAt(end);
  let mask: Mask | undefined;
  if (next === 0x2d || next === 0x5f || next === 0x2e) mask = prefixedToken(text, start, end, tokens);
  else if (next === 0x2f && text.charCodeAt(end - 1) === 0x31) mask = refreshToken(text, end);
  if (mask === undefined && next === 0x2e && length > 1) {
    mask = length > 22 ? discordToken(text, start, end) : undefined;
    mask ??= text.charCodeAt(end - 1) === 0x47 ? sendGridToken(text, end) : undefined;
  }
  if (mask !== undefined) return mask;
  if (length > 11 || (length > 2 && (seenBits & upperBit) !== 0)) {
    mask = bareToken(text, start, end, tokens);
    if (mask !== undefined) return mask;
  }
  if (next === 0x20 && (length === 8 || length === 2) && isPasswordWord(text.charCodeAt(start))) {
    mask = spokenPassword(text, start, end);
    if (mask !== undefined) return mask;
  }
  const isBearer = length >= 6 && length < 24 && (next === 0x20 || next === 0x5c) && text.charCodeAt(end - 1) === 0x72;
  return isBearer && /bearer$/i.test(text.slice(start, end)) ? bearerMask(text, end, length === 6) : undefined;
}

/** `p`, `P` or `B`: the first letters of `password` and of the `BY` in `IDENTIFIED BY`. */
function isPasswordWord(code: number): boolean {
  return code === 0x70 || code === 0x50 || code === 0x42;
}

function colonMask(text: string, at: number, urls: UrlSearch, ends: RunEnds): Mask | undefined {
  if (text.startsWith("//", at + 1)) return urlSecret(text, at, urls);
  return botToken(text, at) ?? fieldMask(text, at, false, ends);
}

/** A Telegram bot's token: six digits and more, a colon, twenty characters and more. */
function botToken(text: string, at: number): Mask | undefined {
  if ((charClass(text.charCodeAt(at - 1)) & digitBit) === 0) return undefined;
  const start = runStart(text, at, digitBit, 24);
  const end = runEnd(text, at + 1, wordBits);
  if (at - start < 6 || end - at - 1 < 20) return undefined;
  return { start, end, replacement: maskValue(text.slice(start, end)) };
}

function dashMask(text: string, at: number, copied: number, keys: PrivateKeySearch): Mask | undefined {
  if (!text.startsWith("-----", at)) return flagMask(text, at);
  if (isPrivateKeyEnd(text, at)) return orphanBody(text, copied, at);
  return privateKeyBody(text, at, keys);
}

function dataEnd(text: string, from: number): number {
  let index = from;
  while ((charClass(text.charCodeAt(index)) & alnumBits) !== 0 || "/+=".includes(text[index] ?? " ")) index += 1;
  return index;
}
