import { looseTag, nextTagHead, skipSpace, type TagHead, tagHeadAt } from "./tag.ts";
import { isToolName, toolTagKind } from "./tool-names.ts";

/** How a tool block's content is written; `none` means that the tag is only talked about. */
export type PayloadKind = "json" | "xml" | "none";

const xmlStarts = new Set(
  (
    "function_call function_calls tool_call tool_calls function invoke parameter parameters argument arguments " +
    "name tool_name server_name tool_result function_response"
  ).split(" "),
);
const glmName = /[A-Za-z_][\w.-]{0,119}\s*(?=<)/y;

/** What the content that starts at `from` looks like. */
export function payloadKind(text: string, from: number): PayloadKind {
  const at = skipSpace(text, from);
  const code = text.charCodeAt(at);
  if (code === 0x7b || code === 0x5b) return "json";
  if (code === 0x3c) {
    const head = tagHeadAt(text, at);
    return head !== undefined && !head.isClose && xmlStarts.has(localName(head.name)) ? "xml" : "none";
  }
  return isGlmPayload(text, at) ? "xml" : "none";
}

/** GLM: the tool's name, then `<arg_key>` with its close behind it, or cut off on the way there. */
function isGlmPayload(text: string, at: number): boolean {
  glmName.lastIndex = at;
  if (!glmName.test(text)) return false;
  const keyAt = glmName.lastIndex;
  const head = tagHeadAt(text, keyAt);
  if (head?.name === "arg_key" && !head.isClose) {
    const tag = looseTag(text, head);
    if (tag === undefined || tag.isSelfClosing) return tag === undefined && head.nameEnd === text.length;
    const next = text.indexOf("<", tag.end);
    if (next < 0) return !/\s\S/.test(text.slice(tag.end));
    const close = text.slice(next, next + 9).toLowerCase();
    return text.charCodeAt(next - 1) !== 0x60 && "</arg_key".startsWith(close);
  }
  const rest = text.slice(keyAt, keyAt + 10).toLowerCase();
  return rest.length > 1 && keyAt + rest.length === text.length && "<arg_key>".startsWith(rest);
}

/** Behind the close tag of a block whose JSON starts at `from`; a close inside a JSON string does not count. */
export function jsonBlockEnd(text: string, from: number, name: string): number | undefined {
  const strings = { index: from, quote: 0 };
  for (let head = nextTagHead(text, from, isToolName); head !== undefined; ) {
    const tag = looseTag(text, head);
    if (tag?.isClose && closes(tag, name) && !endsInString(text, strings, tag.start)) return tag.end;
    head = nextTagHead(text, head.nameEnd, isToolName);
  }
  return undefined;
}

/** Behind the close tag of a block whose markup starts at `from`; blocks of the same name nest. */
export function markupBlockEnd(text: string, from: number, name: string): number | undefined {
  let depth = 1;
  for (let head = nextTagHead(text, from, isToolName); head !== undefined; ) {
    const tag = looseTag(text, head);
    let next = tag?.end ?? head.nameEnd;
    if (tag !== undefined && !tag.isSelfClosing) {
      const isNested = !tag.isClose && toolTagKind(tag.name) === "call" && payloadKind(text, tag.end) === "json";
      if (tag.isClose && closes(tag, name)) {
        depth -= 1;
        if (depth === 0) return tag.end;
      } else if (isNested) {
        const end = jsonBlockEnd(text, tag.end, tag.name);
        if (end === undefined) return undefined;
        next = end;
      } else if (!tag.isClose && tag.name === name) depth += 1;
    }
    head = nextTagHead(text, next, isToolName);
  }
  return undefined;
}

function closes(tag: TagHead, name: string): boolean {
  return tag.name === name || (tag.name === "tool_call" && name === "tool_result");
}

/** Whether `end` is inside a quoted string; each call goes on from the one before it. */
function endsInString(text: string, strings: { index: number; quote: number }, end: number): boolean {
  let { index, quote } = strings;
  for (; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (quote === 0) {
      if (code === 0x22 || code === 0x27) quote = code;
    } else if (code === 0x5c) index += 1;
    else if (code === quote) quote = 0;
  }
  strings.index = index;
  strings.quote = quote;
  return quote !== 0;
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}
