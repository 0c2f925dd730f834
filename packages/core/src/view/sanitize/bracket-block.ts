import type { CodeRegions } from "./code-regions.ts";
import { cutsOf } from "./stage.ts";
import { skipSpace } from "./tag.ts";

const opening = /\[[ \t]*TOOL_(CALL|RESULT)(S?)[ \t]*\]/gi;

/** Takes `[TOOL_CALL]…[/TOOL_CALL]` and `[TOOL_RESULT]…` out where what follows looks like a call or a result. */
export function stripBracketBlocks(text: string, code: CodeRegions): string {
  const cuts = cutsOf(text);
  const closeSearch = new Map<string, number>();
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const payload = opening.lastIndex;
    const kind = (found[1] ?? "").toUpperCase();
    if (code.contains(found.index)) continue;
    const close = closeAfter(text, payload, kind, closeSearch);
    const end = Math.min(close?.start ?? text.length, text.length);
    if (!(kind === "CALL" ? isCallPayload(text, payload, end) : isResultPayload(text, payload, end))) continue;
    const cutEnd = close?.end ?? (found[2] === "" ? text.length : (jsonEnd(text, payload) ?? text.length));
    cuts.remove(found.index, cutEnd);
    opening.lastIndex = cutEnd;
  }
  return cuts.result();
}

/** The next close marker of a kind; what is known to be missing is not searched for again. */
function closeAfter(
  text: string,
  from: number,
  kind: string,
  known: Map<string, number>,
): { start: number; end: number } | undefined {
  if ((known.get(kind) ?? 0) === Number.POSITIVE_INFINITY) return undefined;
  const closing = kind === "CALL" ? /\[[ \t]*\/[ \t]*TOOL_CALLS?[ \t]*\]/gi : /\[[ \t]*\/[ \t]*TOOL_RESULTS?[ \t]*\]/gi;
  closing.lastIndex = Math.max(from, known.get(kind) ?? 0);
  const found = closing.exec(text);
  known.set(kind, found?.index ?? Number.POSITIVE_INFINITY);
  return found === null ? undefined : { start: found.index, end: closing.lastIndex };
}

const window = 300;

function isCallPayload(text: string, from: number, end: number): boolean {
  const first = text[skipSpace(text, from)];
  const head = text.slice(from, Math.min(end, from + window));
  if (first === "[" || first === "{") return !/^\s*\{\s*tool\b/i.test(head) || /\btool\s*=>/i.test(head);
  return /\btool\s*=>\s*["'][A-Za-z_]/i.test(head) && /\bargs\s*=>/i.test(head);
}

function isResultPayload(text: string, from: number, end: number): boolean {
  const first = text[skipSpace(text, from)];
  return (
    first === "{" ||
    first === "[" ||
    /\b(?:tool|result|output|content)\s*(?:=>|:)/i.test(text.slice(from, Math.min(end, from + window)))
  );
}

/** Behind the JSON value that starts at or after `from`, or undefined where it has no end. */
export function jsonEnd(text: string, from: number): number | undefined {
  const start = skipSpace(text, from);
  const first = text.charCodeAt(start);
  if (first === 0x22) return stringEnd(text, start);
  if (first !== 0x7b && first !== 0x5b) return undefined;
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      const end = stringEnd(text, index);
      if (end === undefined) return undefined;
      index = end - 1;
    } else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

function stringEnd(text: string, start: number): number | undefined {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index += 1;
    else if (code === 0x22) return index + 1;
  }
  return undefined;
}
