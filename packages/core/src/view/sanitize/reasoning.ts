import { type CodeRegions, closesOverFence } from "./code-regions.ts";
import { cutsOf } from "./stage.ts";
import { nextTagHead, strictTag, type Tag } from "./tag.ts";

const prefixed = ["think", "thinking", "thought", "reasoning"];
const reasoningNames: ReadonlySet<string> = new Set([
  ...prefixed,
  ...prefixed.flatMap((name) => [`antml:${name}`, `mm:${name}`]),
  "internal",
  "antthinking",
]);

/** True for the names of tags around reasoning, and for `final`, which stands around the answer. */
export function isReasoningName(name: string): boolean {
  return reasoningNames.has(name) || name === "final";
}

/**
 * Takes reasoning out. Blocks nest. An unclosed block hides the rest where something visible precedes it, else only its
 * tag goes; `internal` always hides the rest. A stray close hides what precedes it where something visible follows.
 */
export function stripReasoning(text: string, code: CodeRegions): string {
  const tags = reasoningTags(text, code);
  if (tags.length === 0) return text;
  const closes = pairTags(tags);
  const cuts = cutsOf(text);
  let keptBeforeStray = 0;
  const dropBeforeStray = (end: number) => {
    if (keptBeforeStray === 0 || !/\S/.test(text.slice(cuts.lastEnd, end))) return;
    cuts.dropFirst(keptBeforeStray);
    keptBeforeStray = 0;
  };
  for (let index = 0; index < tags.length; index += 1) {
    const tag = tags[index];
    if (tag === undefined) break;
    dropBeforeStray(tag.start);
    const close = closes.get(index);
    if (close !== undefined) {
      cuts.remove(tag.start, tags[close]?.end ?? text.length);
      index = close;
    } else if (tag.name === "final" || tag.isSelfClosing) {
      cuts.remove(tag.start, tag.end);
    } else if (tag.isClose) {
      cuts.remove(tag.start, tag.end);
      keptBeforeStray = cuts.keptLength;
    } else if (tag.name === "internal" || cuts.showsBefore(tag.start)) {
      cuts.remove(tag.start, text.length);
      return cuts.result();
    } else {
      cuts.remove(tag.start, tag.end);
    }
  }
  dropBeforeStray(text.length);
  return cuts.result();
}

function reasoningTags(text: string, code: CodeRegions): readonly Tag[] {
  const tags: Tag[] = [];
  let depth = 0;
  let blockStart = 0;
  let head = nextTagHead(text, 0, isReasoningName);
  while (head !== undefined) {
    const isOverFence = head.isClose && depth > 0 && closesOverFence(code, blockStart, head.start);
    const tag = code.contains(head.start) && !isOverFence ? undefined : strictTag(text, head);
    if (tag !== undefined) {
      tags.push(tag);
      if (tag.name !== "final" && !tag.isSelfClosing) {
        if (!tag.isClose && depth === 0) blockStart = tag.start;
        depth = tag.isClose ? Math.max(0, depth - 1) : depth + 1;
      }
    }
    head = nextTagHead(text, tag?.end ?? head.nameEnd, isReasoningName);
  }
  return tags;
}

/** For each open tag that is closed, the index of its close; a close without its own name on the stack takes the top. */
function pairTags(tags: readonly Tag[]): ReadonlyMap<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  const openOfName = new Map<string, number>();
  tags.forEach((tag, index) => {
    if (tag.name === "final" || tag.isSelfClosing) return;
    if (!tag.isClose) {
      open.push(index);
      openOfName.set(tag.name, (openOfName.get(tag.name) ?? 0) + 1);
      return;
    }
    const hasOwn = (openOfName.get(tag.name) ?? 0) > 0;
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      const name = tags[top]?.name ?? "";
      openOfName.set(name, (openOfName.get(name) ?? 1) - 1);
      closes.set(top, index);
      if (!hasOwn || name === tag.name) break;
    }
  });
  return closes;
}
