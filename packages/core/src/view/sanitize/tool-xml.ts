import type { CodeRegions } from "./code-regions.ts";
import { type Cuts, cutsOf } from "./stage.ts";
import { attributesEnd, looseTag, nextTagHead, type Tag, type TagHead } from "./tag.ts";
import { isToolName, toolTagKind } from "./tool-names.ts";
import { jsonBlockEnd, markupBlockEnd, payloadKind } from "./tool-payload.ts";

interface State {
  readonly text: string;
  readonly cuts: Cuts;
  /** How many open tags of each name were left in the text. */
  readonly shown: Map<string, number>;
  /** For names whose unclosed blocks stay: the end of each block by its start, found in one search. */
  readonly pairs: Map<string, ReadonlyMap<number, number>>;
}

/**
 * Takes tool-call markup out: a block whose content starts as JSON or as call markup, to the end where it is not closed;
 * results also where their tag has its own line or follows a call. A tag that is only talked about stays, with its close.
 */
export function stripToolXml(text: string, code: CodeRegions): string {
  const state: State = { text, cuts: cutsOf(text), shown: new Map(), pairs: new Map() };
  for (let head = nextTagHead(text, 0, isToolName); head !== undefined; ) {
    const next: number = code.contains(head.start) ? head.nameEnd : readTag(state, head);
    head = nextTagHead(text, next, isToolName);
  }
  return state.cuts.result();
}

/** Cuts what the tag stands for, or counts it as shown; gives where to go on. */
function readTag(state: State, head: TagHead): number {
  const { text, cuts, shown } = state;
  const tag = looseTag(text, head);
  const openCount = shown.get(head.name) ?? 0;
  if (head.isClose) {
    if (tag === undefined) return head.nameEnd;
    if (openCount > 0) shown.set(head.name, openCount - 1);
    else cuts.remove(tag.start, tag.end);
    return tag.end;
  }
  if (tag?.isSelfClosing) {
    cuts.remove(tag.start, tag.end);
    return tag.end;
  }
  const end = blockEnd(state, head, tag);
  if (end !== undefined) {
    cuts.remove(head.start, end);
    return end;
  }
  if (tag !== undefined) shown.set(head.name, openCount + 1);
  return tag?.end ?? head.nameEnd;
}

/** Where the block that this tag opens ends, or undefined where the tag is to stay. */
function blockEnd(state: State, head: TagHead, tag: Tag | undefined): number | undefined {
  const { text, cuts } = state;
  const kind = toolTagKind(head.name);
  if (kind === "argument") return tag === undefined ? undefined : argumentEnd(state, tag);
  if (tag === undefined) {
    const isTruncated = payloadKind(text, attributesEnd(text, head.nameEnd)) === "json";
    return isTruncated && kind !== "function"
      ? (jsonBlockEnd(text, head.nameEnd, head.name) ?? text.length)
      : undefined;
  }
  const payload = payloadKind(text, tag.end);
  if (kind === "function") return functionEnd(state, tag, payload !== "none");
  if (payload === "json") return jsonBlockEnd(text, tag.end, tag.name) ?? text.length;
  const isResult = kind === "result" && (hasOwnLine(text, tag) || followsCut(text, tag, cuts));
  const isNamedPart = kind === "part" && /\bname\s*=/.test(text.slice(tag.nameEnd, tag.end));
  if (payload === "none" && !isResult && !isNamedPart) return undefined;
  return markupBlockEnd(text, tag.end, tag.name) ?? text.length;
}

/** A bare `function` block: `<function=name>` anywhere, `<function name="…">` at a line's or sentence's start, if closed. */
function functionEnd(state: State, tag: Tag, hasPayload: boolean): number | undefined {
  const { text } = state;
  const isShort = text.charCodeAt(tag.nameEnd) === 0x3d;
  if (isShort) {
    const isEmpty = /^\s*<\/function\s*>/.test(text.slice(tag.end, tag.end + 40));
    return hasPayload || isEmpty ? (pairedEnd(state, tag) ?? text.length) : undefined;
  }
  const isNamed = /\bname\s*=/.test(text.slice(tag.nameEnd, tag.end));
  if (!hasPayload || !isNamed || !/(?:^|[\n\r.!?:])[ \t]*$/.test(text.slice(Math.max(0, tag.start - 80), tag.start)))
    return undefined;
  return pairedEnd(state, tag);
}

/** GLM's `<arg_key>k</arg_key><arg_value>v</arg_value>` without a call around it. */
function argumentEnd(state: State, tag: Tag): number | undefined {
  const end = pairedEnd(state, tag);
  if (tag.name === "arg_value" || end === undefined) return end;
  return /^\s*<arg_value\b/i.test(state.text.slice(end, end + 40)) ? end : undefined;
}

/** The end of the block that this tag opens, blocks of its name nesting; undefined where it is not closed. */
function pairedEnd({ text, pairs }: State, tag: Tag): number | undefined {
  let ends = pairs.get(tag.name);
  if (ends === undefined) {
    ends = pairedEnds(text, tag.name);
    pairs.set(tag.name, ends);
  }
  return ends.get(tag.start);
}

function pairedEnds(text: string, name: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let head = nextTagHead(text, 0, (found) => found === name); head !== undefined; ) {
    const tag = looseTag(text, head);
    if (tag?.isClose) {
      const start = open.pop();
      if (start !== undefined) ends.set(start, tag.end);
    } else if (tag !== undefined && !tag.isSelfClosing) open.push(tag.start);
    head = nextTagHead(text, tag?.end ?? head.nameEnd, (found) => found === name);
  }
  return ends;
}

/** Whether nothing else is on the tag's line. */
function hasOwnLine(text: string, tag: Tag): boolean {
  return isLineStart(text, tag.start) && /^[ \t]*(?:[\r\n]|$)/.test(text.slice(tag.end, tag.end + 40));
}

function isLineStart(text: string, index: number): boolean {
  let start = index;
  while (start > 0 && (text[start - 1] === " " || text[start - 1] === "\t")) start -= 1;
  return start === 0 || text[start - 1] === "\n" || text[start - 1] === "\r";
}

/** Whether only white space stands between the last cut and the tag. */
function followsCut(text: string, tag: Tag, cuts: Cuts): boolean {
  let start = tag.start;
  while (start > cuts.lastEnd && /\s/.test(text.charAt(start - 1))) start -= 1;
  return cuts.lastEnd > 0 && start === cuts.lastEnd;
}
