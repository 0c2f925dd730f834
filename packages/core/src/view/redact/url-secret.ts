import { charClass, quoteBit, spaceBit, wordBits } from "./char-class.ts";
import { type Mask, maskValue } from "./mask.ts";
import { looksRandom } from "./random-text.ts";
import { isReference } from "./secret-value.ts";

/** What a scan has learnt about URLs ahead, so that many of them in one unbroken text cost one search. */
export interface UrlSearch {
  /** The end of the unbroken text that holds the last URL. */
  end: number;
  nextAt: number;
}

const webhooks =
  /^(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d)/;

/** The password of the URL whose `://` starts at `at`, or the whole URL where it is a webhook. */
export function urlSecret(text: string, at: number, search: UrlSearch): Mask | undefined {
  const host = at + 3;
  if (search.end <= at) search.end = urlEnd(text, host);
  if (webhooks.test(text.slice(host, host + 64))) return webhookMask(text, at, host, search.end);
  const authorityEnd = findAuthorityEnd(text, host, search.end);
  const sign = text.slice(host, authorityEnd).lastIndexOf("@");
  if (sign >= 0) return userInfoMask(text, host, host + sign);
  return slashedPassword(text, host, authorityEnd, search);
}

function userInfoMask(text: string, host: number, sign: number): Mask | undefined {
  const info = text.slice(host, sign);
  const colon = info.indexOf(":");
  const secret = colon < 0 ? info : info.slice(colon + 1);
  if (secret === "" || isReference(secret) || (colon < 0 && !(secret.length >= 20 && looksRandom(secret))))
    return undefined;
  return { start: sign - secret.length, end: sign, replacement: maskValue(secret) };
}

/** A password that holds a raw `/`, `?` or `#`: what follows the colon is no port and an `@` comes later. */
function slashedPassword(text: string, host: number, authorityEnd: number, search: UrlSearch): Mask | undefined {
  if (authorityEnd >= search.end) return undefined;
  const colon = text.slice(host, authorityEnd).indexOf(":");
  if (colon < 0 || /^\d{0,5}$/.test(text.slice(host + colon + 1, authorityEnd))) return undefined;
  if (search.nextAt < authorityEnd) {
    const found = text.indexOf("@", authorityEnd);
    search.nextAt = found < 0 ? Number.POSITIVE_INFINITY : found;
  }
  if (search.nextAt >= search.end) return undefined;
  const start = host + colon + 1;
  return { start, end: search.nextAt, replacement: maskValue(text.slice(start, search.nextAt)) };
}

function webhookMask(text: string, at: number, host: number, limit: number): Mask | undefined {
  let end = host;
  while (end < limit && ((charClass(text.charCodeAt(end)) & wordBits) !== 0 || "/.".includes(text.charAt(end))))
    end += 1;
  while (text.charCodeAt(end - 1) === 0x2e || text.charCodeAt(end - 1) === 0x2f) end -= 1;
  const start = at - (text.slice(at - 5, at).toLowerCase() === "https" ? 5 : 4);
  const url = text.slice(start, end);
  return /[\w-]{20}$/.test(url) ? { start, end, replacement: maskValue(url) } : undefined;
}

function findAuthorityEnd(text: string, host: number, limit: number): number {
  let index = host;
  while (index < limit && !"/?#".includes(text[index] ?? " ")) index += 1;
  return index;
}

function urlEnd(text: string, from: number): number {
  let index = from;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((charClass(code) & (spaceBit | quoteBit)) !== 0 || code === 0x3c || code === 0x3e || code === 0x5c) break;
  }
  return index;
}
