import { jsonEnd } from "./bracket-block.ts";
import type { CodeRegions } from "./code-regions.ts";
import { type Cuts, cutsOf } from "./stage.ts";

const marker = /\[(?:Tool (Call|Result)|Historical context)(?=[\s:\]])/gi;

/**
 * Takes tool use that was downgraded to text out: `[Tool Call: …]` with its `Arguments:`, `[Tool Result for ID …]` with
 * what it returned, up to the next such marker or the end, `[Tool Result …]` and `[Historical context: …]` alone. What is
 * left is trimmed.
 */
export function stripDowngraded(text: string, code: CodeRegions): string {
  const cuts = cutsOf(text);
  let found = nextMarker(text, 0, code);
  if (found === undefined) return text;
  const lines: Lines = { closes: bracketCloses(text), end: -1, nextClose: -1 };
  while (found !== undefined) {
    const end = markerEnd(text, found, lines);
    let next: number;
    if (end === undefined) next = found.nameEnd;
    else if (found.kind === "call") next = cutCall(text, cuts, found.start, end);
    else if (found.kind === "result") next = cutResult(text, cuts, found, end, code);
    else next = cutLine(text, cuts, found.start, end);
    found = nextMarker(text, next, code);
  }
  return cuts.lastEnd === 0 ? text : cuts.result().trim();
}

interface Marker {
  readonly kind: "call" | "result" | "context";
  readonly start: number;
  readonly nameEnd: number;
}

function nextMarker(text: string, from: number, code: CodeRegions): Marker | undefined {
  marker.lastIndex = from;
  for (let found = marker.exec(text); found !== null; found = marker.exec(text)) {
    if (code.contains(found.index)) continue;
    const kind = found[1] === undefined ? "context" : found[1].toLowerCase() === "call" ? "call" : "result";
    if (kind !== "result" && text[marker.lastIndex] !== ":") continue;
    return { kind, start: found.index, nameEnd: marker.lastIndex };
  }
  return undefined;
}

interface Lines {
  readonly closes: ReadonlyMap<number, number>;
  /** The end of the line looked at last. */
  end: number;
  /** The first `]` behind the marker looked at last. */
  nextClose: number;
}

/** Behind the `]` of a marker: the one that balances, else the first; one cut off on the last line runs to the end. */
function markerEnd(text: string, { start, nameEnd }: Marker, lines: Lines): number | undefined {
  if (lines.end < nameEnd) {
    const newline = text.indexOf("\n", nameEnd);
    lines.end = newline < 0 ? text.length : newline;
  }
  const balanced = lines.closes.get(start);
  if (balanced !== undefined) return balanced + 1;
  if (lines.nextClose < nameEnd) {
    const close = text.indexOf("]", nameEnd);
    lines.nextClose = close < 0 ? Number.POSITIVE_INFINITY : close;
  }
  if (lines.nextClose < lines.end) return lines.nextClose + 1;
  return lines.end === text.length ? text.length : undefined;
}

/** The `]` of every `[` that has one, by its index. */
function bracketCloses(text: string): ReadonlyMap<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5b) open.push(index);
    else if (code === 0x5d) {
      const start = open.pop();
      if (start !== undefined) closes.set(start, index);
    } else if (code === 0x0a) open.length = 0;
  }
  return closes;
}

function cutCall(text: string, cuts: Cuts, start: number, markerEnd: number): number {
  let end = skipBlanks(text, skipLineBreak(text, skipBlanks(text, markerEnd)));
  if (/^arguments\b:?/i.test(text.slice(end, end + 10))) {
    end = argumentsEnd(text, end + 9);
  }
  cuts.remove(start, leadsLine(text, start) ? skipLineBreak(text, end) : end);
  return Math.max(end, cuts.lastEnd);
}

/** Behind a call's arguments: JSON, cut off or not, else the rest of the line. */
function argumentsEnd(text: string, from: number): number {
  const at = text[from] === ":" ? from + 1 : from;
  let start = at;
  while (/\s/.test(text.charAt(start))) start += 1;
  if (/^["{[]/.test(text.slice(start, start + 1))) return jsonEnd(text, start) ?? text.length;
  const newline = text.indexOf("\n", start);
  return newline < 0 ? text.length : newline;
}

function cutResult(text: string, cuts: Cuts, { start, nameEnd }: Marker, end: number, code: CodeRegions): number {
  if (!/^\s*(?:for )?ID\b/i.test(text.slice(nameEnd, nameEnd + 16))) return cutLine(text, cuts, start, end);
  const next = nextMarker(text, end, code);
  cuts.remove(start, next?.start ?? text.length);
  return next?.start ?? text.length;
}

function cutLine(text: string, cuts: Cuts, start: number, end: number): number {
  const cutEnd = skipLineBreak(text, end);
  cuts.remove(start, cutEnd);
  return cutEnd;
}

function leadsLine(text: string, start: number): boolean {
  return start === 0 || text[start - 1] === "\n" || text[start - 1] === "\r";
}

function skipBlanks(text: string, from: number): number {
  let index = from;
  while (text[index] === " " || text[index] === "\t") index += 1;
  return index;
}

function skipLineBreak(text: string, from: number): number {
  const index = text[from] === "\r" ? from + 1 : from;
  return text[index] === "\n" ? index + 1 : index;
}
