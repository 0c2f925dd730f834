import { alnumBits, digitBit, dotBit, runEnd, runStart, upperBit, wideBits, wordBits } from "./char-class.ts";
import { type Mask, maskValue } from "./mask.ts";
import { type TokenSearch, trimTail, wordRun } from "./token-search.ts";

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
export function bareToken(text: string, start: number, end: number, search: TokenSearch): Mask | undefined {
  const last = end - start < 12 ? start : end - 3;
  let failed = "";
  for (let at = start; at <= last; at += 1) {
    const name = bareNameAt(text, at);
    if (name === undefined || failed.includes(name)) continue;
    const tokenEnd = bareTokenEnd(text, at, name, search);
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

function bareTokenEnd(text: string, at: number, name: string, search: TokenSearch): number | undefined {
  switch (name) {
    case "eyJ":
      return jsonWebTokenEnd(text, at, search);
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
function jsonWebTokenEnd(text: string, at: number, search: TokenSearch): number | undefined {
  const firstEnd = wordRun(text, at, search).end;
  if (text.charCodeAt(firstEnd) !== 0x2e || firstEnd - at < 10) return undefined;
  const second = firstEnd + 1;
  const secondEnd = wordRun(text, second, search).end;
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
