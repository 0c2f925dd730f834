import type { Mask } from "./mask.ts";

const begin = "-----BEGIN ";
const end = "-----END ";
const label = /^[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const lineBreak = /\r?\n|(?:\\{1,4}r)?\\{1,4}n/y;
const hiddenBody = "…redacted…";
const longestLine = 4096;
const bodyLine = /^[ \t>]*(?:[A-Za-z0-9+/=]+|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): .{0,200})?[ \t]*$/;

/** Where the next `-----BEGIN ` and `-----END ` are, so that many openings without an end cost one search. */
export interface PrivateKeySearch {
  nextBegin: number;
  nextEnd: number;
}

/** The body of the private key whose `-----BEGIN …-----` is at `at`, up to its end line, else as far as key lines go. */
export function privateKeyBody(text: string, at: number, search: PrivateKeySearch): Mask | undefined {
  const head = headerLength(text, at, begin);
  if (head === undefined) return undefined;
  const headEnd = at + head;
  search.nextBegin = searchFrom(text, begin, headEnd, search.nextBegin);
  search.nextEnd = searchFrom(text, end, headEnd, search.nextEnd);
  const isClosed = search.nextEnd < search.nextBegin && headerLength(text, search.nextEnd, end) !== undefined;
  if (isClosed) return closedBody(text, headEnd, search.nextEnd);
  return openBody(text, headEnd, Math.min(search.nextBegin, search.nextEnd, text.length));
}

/** True where `at` starts the end line of a private key. */
export function isPrivateKeyEnd(text: string, at: number): boolean {
  return headerLength(text, at, end) !== undefined;
}

/** Where the end line of a block such as a certificate starts, whose data is public; `at` is its first line. */
export function publicBlockEnd(text: string, at: number, search: PrivateKeySearch): number | undefined {
  if (!/^-----BEGIN [A-Z0-9 ]{1,40}-----/.test(text.slice(at, at + 64))) return undefined;
  search.nextBegin = searchFrom(text, begin, at + begin.length, search.nextBegin);
  search.nextEnd = searchFrom(text, end, at + begin.length, search.nextEnd);
  return search.nextEnd < search.nextBegin ? search.nextEnd : undefined;
}

/** The key lines in front of an end line that has lost its beginning; nothing before `from` is looked at. */
export function orphanBody(text: string, from: number, at: number): Mask | undefined {
  let start = at;
  while (start > from) {
    const windowStart = Math.max(from, start - longestLine);
    const lineStart = windowStart + text.slice(windowStart, start - 1).lastIndexOf("\n") + 1;
    const line = text.slice(lineStart, start).trimEnd();
    if (line === hiddenBody || line.length < 16 || !bodyLine.test(line)) break;
    start = lineStart;
  }
  return start === at ? undefined : { start, end: at, replacement: `${hiddenBody}\n` };
}

function closedBody(text: string, from: number, to: number): Mask | undefined {
  const separator = breakAt(text, from);
  const body = text.slice(from + separator.length, bodyEnd(text, from + separator.length, to));
  if (body === "" || body === hiddenBody || !holdsKeyData(body)) return undefined;
  return { start: from, end: to, replacement: `${separator}${hiddenBody}${separator}` };
}

/** Sixteen base64 characters in a row, or a line of nothing else: what stands between two lines that are talked about is not. */
function holdsKeyData(body: string): boolean {
  return /[A-Za-z0-9+/=]{16}/.test(body) || /^[ \t]*[A-Za-z0-9+/=]{3,}[ \t]*$/m.test(body.replace(lineBreaks, "\n"));
}

function openBody(text: string, from: number, limit: number): Mask | undefined {
  let index = from;
  let lines = 0;
  const first = breakAt(text, from);
  while (index < limit) {
    const separator = breakAt(text, index);
    if (separator === "" && index > from) break;
    const lineStart = index + separator.length;
    const lineEnd = nextBreak(text, lineStart, limit);
    const line = text.slice(lineStart, lineEnd);
    if (lines === 0 && line.trim() === hiddenBody) return undefined;
    if (!bodyLine.test(line)) {
      index = partialLineEnd(text, lineStart, lineEnd, index);
      break;
    }
    if (line.trim() !== "") lines += 1;
    index = lineEnd;
  }
  const body = text.slice(from, index);
  if (!/[A-Za-z0-9+/=]{4}/.test(body.replace(lineBreaks, " "))) return undefined;
  return { start: from, end: bodyEnd(text, from, index), replacement: `${first}${hiddenBody}` };
}

/** Where a body ends, line breaks behind it, written out or escaped, left out. */
function bodyEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from) {
    const code = text.charCodeAt(end - 1);
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) end -= 1;
    else if ((code === 0x6e || code === 0x72) && text.charCodeAt(end - 2) === 0x5c) {
      end -= 1;
      while (end > from && text.charCodeAt(end - 1) === 0x5c) end -= 1;
    } else break;
  }
  return end;
}

const lineBreaks = /\\{1,4}[rn]/g;

/** A line that only starts like key data, e.g. the end of a JSON string: the key data of it goes, the rest stays. */
function partialLineEnd(text: string, lineStart: number, lineEnd: number, fallback: number): number {
  const data = /^[ \t]*[A-Za-z0-9+/=]{16,}/.exec(text.slice(lineStart, Math.min(lineEnd, lineStart + 4096)));
  return data === null ? fallback : lineStart + data[0].length;
}

function headerLength(text: string, at: number, opening: string): number | undefined {
  if (!text.startsWith(opening, at)) return undefined;
  const found = label.exec(text.slice(at + opening.length, at + opening.length + 80));
  return found === null ? undefined : opening.length + found[0].length;
}

function searchFrom(text: string, needle: string, from: number, known: number): number {
  if (known >= from) return known;
  const found = text.indexOf(needle, from);
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}

function breakAt(text: string, index: number): string {
  lineBreak.lastIndex = index;
  return lineBreak.exec(text)?.[0] ?? "";
}

function nextBreak(text: string, from: number, limit: number): number {
  const stop = Math.min(limit, text.length);
  for (let index = from; index < stop; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x0a) return index > from && text.charCodeAt(index - 1) === 0x0d ? index - 1 : index;
    if (code === 0x5c) {
      lineBreak.lastIndex = index;
      if (lineBreak.test(text)) return index;
    }
  }
  return stop;
}

/** A field's value that is a private key: with its body hidden; undefined for any other value. */
export function privateKeyText(value: string): string | undefined {
  const at = value.indexOf(begin);
  if (at < 0) return undefined;
  const mask = privateKeyBody(value, at, { nextBegin: -1, nextEnd: -1 });
  if (mask !== undefined) return value.slice(0, mask.start) + mask.replacement + value.slice(mask.end);
  return value.includes(hiddenBody) ? value : undefined;
}
