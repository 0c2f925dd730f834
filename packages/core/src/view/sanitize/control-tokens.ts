import type { CodeRegions } from "./code-regions.ts";
import { type Cuts, cutsOf } from "./stage.ts";

const asciiBar = 0x7c;
const wideBar = 0xff5c;
const sectionNames = /^(?:tool[▁_]calls(?:[▁_]section)?|tool[▁_]call|tool[▁_]outputs|tool[▁_]output)[▁_]begin$/i;

interface Token {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/**
 * Takes leaked control tokens out: `<|name|>` with ASCII or full-width bars. A name holds no white space, bar, back-tick
 * or angle bracket. One space takes a token's place where it stood between letters or digits. A full-width tool section
 * goes with its payload, to the end where it has none.
 */
export function stripControlTokens(text: string, code: CodeRegions): string {
  const cuts = cutsOf(text);
  let left = "";
  for (let token = nextToken(text, 0); token !== undefined; ) {
    if (code.contains(token.start) || code.contains(token.end - 1)) {
      token = nextToken(text, token.end);
      continue;
    }
    const end = sectionEnd(text, token);
    if (token.start > cuts.lastEnd) left = pointBefore(text, token.start);
    if (removeToken(text, cuts, token.start, end, left)) left = " ";
    token = nextToken(text, end);
  }
  return cuts.result();
}

function removeToken(text: string, cuts: Cuts, start: number, end: number, left: string): boolean {
  const right = String.fromCodePoint(text.codePointAt(end) ?? 0x20);
  const isBetweenWords = isWordPoint(left) && isWordPoint(right);
  cuts.replace(start, end, isBetweenWords ? " " : "");
  return isBetweenWords;
}

/** The next `<|…|>` at or behind `from`. */
function nextToken(text: string, from: number): Token | undefined {
  for (let start = text.indexOf("<", from); start >= 0; start = text.indexOf("<", start + 1)) {
    if (!isBar(text.charCodeAt(start + 1))) continue;
    let index = start + 2;
    while (index < text.length && isNameUnit(text.charCodeAt(index))) index += 1;
    if (isBar(text.charCodeAt(index)) && text.charCodeAt(index + 1) === 0x3e) {
      return { start, end: index + 2, name: text.slice(start + 2, index) };
    }
  }
  return undefined;
}

/** Where a token's cut ends: behind the matching end token of a tool section, else behind the token itself. */
function sectionEnd(text: string, token: Token): number {
  if (!sectionNames.test(token.name)) return token.end;
  const isWide = text.charCodeAt(token.start + 1) === wideBar || /calls/i.test(token.name);
  if (!isWide) return token.end;
  const wanted = token.name
    .toLowerCase()
    .replaceAll("▁", "_")
    .replace(/begin$/, "end");
  for (let next = nextToken(text, token.end); next !== undefined; next = nextToken(text, next.end)) {
    if (next.name.toLowerCase().replaceAll("▁", "_") === wanted) return next.end;
  }
  return text.length;
}

function isBar(code: number): boolean {
  return code === asciiBar || code === wideBar;
}

function isNameUnit(code: number): boolean {
  return code > 0x20 && code !== 0x3c && code !== 0x3e && code !== 0x60 && code !== 0xa0 && !isBar(code);
}

function pointBefore(text: string, index: number): string {
  const unit = text.charCodeAt(index - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return text.slice(isLow ? index - 2 : index - 1, index);
}

function isWordPoint(point: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(point);
}
