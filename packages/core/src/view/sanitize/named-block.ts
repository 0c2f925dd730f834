import { jsonEnd } from "./bracket-block.ts";
import type { CodeRegions } from "./code-regions.ts";
import { cutsOf } from "./stage.ts";
import { skipSpace } from "./tag.ts";

const endMarker = "[END_TOOL_REQUEST]";
const opening = /\[(?:tool:)?[A-Za-z_][\w.:-]{0,119}\]/g;
const harmony = /(?:<\|channel\|>)?(?:commentary|analysis|final)[ \t]+to=[\w.-]{1,120}(?:[ \t]+code)?(?=[\s<{])/g;

/** Takes `[name]`, JSON, `[END_TOOL_REQUEST]` or `[/name]` out, `[tool:name]` with its JSON, and calls on a `to=` channel. */
export function stripNamedBlocks(text: string, code: CodeRegions): string {
  let current = text;
  if (text.includes(endMarker) || text.includes("[/") || text.includes("[tool:"))
    current = stripBracketed(current, code);
  return current === text && text.includes(" to=") ? stripHarmony(current, code) : current;
}

function stripBracketed(text: string, code: CodeRegions): string {
  const cuts = cutsOf(text);
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const after = opening.lastIndex;
    const payload = skipSpace(text, after);
    if (text.charCodeAt(payload) !== 0x7b) {
      opening.lastIndex = payload;
      continue;
    }
    const name = found[0].slice(1, -1);
    const isTool = name.startsWith("tool:");
    if (code.contains(found.index) || (!isTool && !text.slice(after, payload).includes("\n"))) continue;
    const end = jsonEnd(text, payload);
    if (end === undefined) break;
    const close = closeEnd(text, end, isTool ? name.slice(5) : name);
    opening.lastIndex = end;
    if (close === undefined && !isTool) continue;
    cuts.remove(found.index, lineBreakEnd(text, found.index, close ?? end));
  }
  return cuts.result();
}

function closeEnd(text: string, from: number, name: string): number | undefined {
  const at = skipSpace(text, from);
  for (const marker of [endMarker, `[/${name}]`]) {
    if (text.startsWith(marker, at)) return at + marker.length;
  }
  return undefined;
}

function stripHarmony(text: string, code: CodeRegions): string {
  const cuts = cutsOf(text);
  harmony.lastIndex = 0;
  for (let found = harmony.exec(text); found !== null; found = harmony.exec(text)) {
    const payload = harmonyPayload(text, harmony.lastIndex);
    if (payload === undefined || code.contains(found.index)) continue;
    const end = jsonEnd(text, payload) ?? text.length;
    const close = /^\s*<\|call\|>/.exec(text.slice(end, end + 40));
    const cutEnd = lineBreakEnd(text, found.index, end + (close?.[0].length ?? 0));
    cuts.remove(found.index, cutEnd);
    harmony.lastIndex = cutEnd;
  }
  return cuts.result();
}

/** Where the JSON of a call on a channel starts, tokens in front of it skipped; undefined where none follows. */
function harmonyPayload(text: string, from: number): number | undefined {
  let index = skipSpace(text, from);
  if (text.startsWith("<|constrain|>", index))
    index = text.indexOf("<", index + 1) < 0 ? index : text.indexOf("<", index + 1);
  if (text.startsWith("<|message|>", index)) index = skipSpace(text, index + 11);
  return text.charCodeAt(index) === 0x7b ? index : undefined;
}

/** A block that begins its line takes the line break behind it along. */
function lineBreakEnd(text: string, start: number, end: number): number {
  if (start > 0 && text[start - 1] !== "\n") return end;
  const rest = /^[ \t]*\r?\n/.exec(text.slice(end, end + 80));
  return end + (rest?.[0].length ?? 0);
}
