import type { CodeRegions } from "./code-regions.ts";
import { cutsOf } from "./stage.ts";
import { looseTag, nextTagHead, type TagHead } from "./tag.ts";

/** The tag that MiniMax models put around their calls. */
export const minimaxWrapper = "minimax:tool_call";
const encodedBoundary = /\]?<\]minimax\[>\[/g;

function isMinimaxName(name: string): boolean {
  return name === minimaxWrapper || name === "invoke";
}

/**
 * Takes MiniMax calls out, where the text holds a `minimax:tool_call` tag outside code: whole `invoke` blocks, an
 * unclosed one up to the end of its wrapper, else of the text, and the wrapper's tags, not the text between them.
 */
export function stripMinimax(text: string, code: CodeRegions): string {
  if (text.includes("<]minimax[>[")) return stripBoundaries(text, code);
  if (!holdsWrapper(text, code)) return text;
  const cuts = cutsOf(text);
  let head = nextTagHead(text, 0, isMinimaxName);
  while (head !== undefined) {
    let end = head.nameEnd;
    const tag = code.contains(head.start) ? undefined : looseTag(text, head);
    if (tag !== undefined || (head.name === "invoke" && !head.isClose && !code.contains(head.start))) {
      end = tag === undefined ? text.length : tag.end;
      if (tag !== undefined && tag.name === "invoke" && !tag.isClose && !tag.isSelfClosing) end = invokeEnd(text, end);
      cuts.remove(head.start, end);
    }
    head = nextTagHead(text, end, isMinimaxName);
  }
  return cuts.result();
}

function holdsWrapper(text: string, code: CodeRegions): boolean {
  const isWrapper = (name: string) => name === minimaxWrapper;
  let head: TagHead | undefined = nextTagHead(text, 0, isWrapper);
  while (head !== undefined && code.contains(head.start)) head = nextTagHead(text, head.nameEnd, isWrapper);
  return head !== undefined;
}

/** Behind the close of the `invoke` whose payload starts at `from`; what is in it is no code. */
function invokeEnd(text: string, from: number): number {
  let depth = 1;
  for (let head = nextTagHead(text, from, isMinimaxName); head !== undefined; ) {
    const tag = looseTag(text, head);
    if (head.name === minimaxWrapper && head.isClose) return head.start;
    if (head.name === "invoke" && tag !== undefined && !tag.isSelfClosing) {
      depth += tag.isClose ? -1 : 1;
      if (depth === 0) return tag.end;
    }
    head = nextTagHead(text, tag?.end ?? head.nameEnd, isMinimaxName);
  }
  return text.length;
}

/** The encoded form puts `]<]minimax[>[` around ordinary tool tags; without it those are tool-call markup. */
function stripBoundaries(text: string, code: CodeRegions): string {
  return text.replace(encodedBoundary, (found, offset: number) => (code.contains(offset) ? found : ""));
}
