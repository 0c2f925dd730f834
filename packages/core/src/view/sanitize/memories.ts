import { type CodeRegions, closesOverFence } from "./code-regions.ts";
import { cutsOf } from "./stage.ts";
import { looseTag, nextTagHead } from "./tag.ts";

/** True for the tag around recalled memories, in both spellings. */
export function isMemoryName(name: string): boolean {
  return name === "relevant-memories" || name === "relevant_memories";
}

/** Takes memory blocks out; they nest, an unclosed one hides the rest, a stray close goes alone. */
export function stripMemories(text: string, code: CodeRegions): string {
  const cuts = cutsOf(text);
  let depth = 0;
  let blockStart = 0;
  let head = nextTagHead(text, 0, isMemoryName);
  while (head !== undefined) {
    const isOverFence = head.isClose && depth > 0 && closesOverFence(code, blockStart, head.start);
    const tag = code.contains(head.start) && !isOverFence ? undefined : looseTag(text, head);
    if (tag !== undefined) {
      if (!tag.isClose && !tag.isSelfClosing) {
        if (depth === 0) blockStart = tag.start;
        depth += 1;
      } else if (depth === 0) {
        cuts.remove(tag.start, tag.end);
      } else if (tag.isClose) {
        depth -= 1;
        if (depth === 0) cuts.remove(blockStart, tag.end);
      }
    }
    head = nextTagHead(text, tag?.end ?? head.nameEnd, isMemoryName);
  }
  if (depth > 0) cuts.remove(blockStart, text.length);
  return cuts.result();
}
