import { isMemoryName } from "./memories.ts";
import { minimaxWrapper } from "./minimax.ts";
import { isReasoningName } from "./reasoning.ts";
import { mayStartTag, tagHeadAt } from "./tag.ts";
import { isToolName } from "./tool-names.ts";
import { mayHoldTraceLine } from "./trace-lines.ts";

/** Bits of what a text may hold; each stands for the stage that takes it out. */
export const minimaxBit = 1;
export const namedBlockBit = 2;
export const tokenBit = 4;
export const memoryBit = 8;
export const toolBit = 16;
export const traceBit = 32;
export const bracketBit = 64;
export const downgradedBit = 128;
export const reasoningBit = 256;

const tagBits = minimaxBit | tokenBit | memoryBit | toolBit | reasoningBit;

/** The families of markup that a text may hold, without false negatives; 0 for most texts, and cheap for those. */
export function familiesIn(text: string): number {
  const brackets = text.includes("[") ? bracketFamilies(text) : 0;
  const traces = mayHoldTraceLine(text) ? traceBit | namedBlockBit : 0;
  return brackets | traces | tagFamilies(text);
}

function tagFamilies(text: string): number {
  let families = 0;
  for (let index = text.indexOf("<"); index >= 0 && families !== tagBits; index = text.indexOf("<", index + 1)) {
    families |= familyAt(text, index);
  }
  return families;
}

function familyAt(text: string, index: number): number {
  const next = text.charCodeAt(index + 1);
  if (next === 0x7c || next === 0xff5c) return tokenBit;
  if (next === 0x5d) return text.startsWith("minimax[>[", index + 2) ? minimaxBit : 0;
  const name = mayStartTag(next) ? tagHeadAt(text, index)?.name : undefined;
  if (name === undefined) return 0;
  if (isReasoningName(name)) return reasoningBit;
  if (isMemoryName(name)) return memoryBit;
  return name === minimaxWrapper ? minimaxBit | toolBit : isToolName(name) ? toolBit : 0;
}

const marker = /\[[ \t]*(?:\/[ \t]*)?(tool)[ _:]|\[(historical) context|\[(end)_tool_request\]|\[(\/)[A-Za-z_]/gi;

function bracketFamilies(text: string): number {
  let families = 0;
  marker.lastIndex = 0;
  for (let found = marker.exec(text); found !== null; found = marker.exec(text)) {
    if (found[1] !== undefined) families |= bracketBit | downgradedBit | namedBlockBit;
    else families |= found[2] !== undefined ? downgradedBit : namedBlockBit;
    if (families === (bracketBit | downgradedBit | namedBlockBit)) break;
  }
  return families;
}
