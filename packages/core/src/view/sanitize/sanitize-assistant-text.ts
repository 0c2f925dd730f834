import { stripBracketBlocks } from "./bracket-block.ts";
import { codeRegions } from "./code-regions.ts";
import { stripControlTokens } from "./control-tokens.ts";
import { stripDowngraded } from "./downgraded.ts";
import {
  bracketBit,
  downgradedBit,
  familiesIn,
  memoryBit,
  minimaxBit,
  namedBlockBit,
  reasoningBit,
  tokenBit,
  toolBit,
  traceBit,
} from "./families.ts";
import { stripMemories } from "./memories.ts";
import { stripMinimax } from "./minimax.ts";
import { stripNamedBlocks } from "./named-block.ts";
import { stripReasoning } from "./reasoning.ts";
import type { Stage } from "./stage.ts";
import { stripToolXml } from "./tool-xml.ts";
import { stripTraceLines } from "./trace-lines.ts";

/** In this order; each sees what the ones before it left. */
const stages: readonly (readonly [family: number, stage: Stage])[] = [
  [minimaxBit, stripMinimax],
  [namedBlockBit, stripNamedBlocks],
  [tokenBit, stripControlTokens],
  [memoryBit, stripMemories],
  [toolBit, stripToolXml],
  [traceBit, stripTraceLines],
  [bracketBit, stripBracketBlocks],
  [downgradedBit, stripDowngraded],
  [reasoningBit, stripReasoning],
];

/** How much text, beyond twice a text's own length, the rounds over it may read in all. */
const roundBudgetUnits = 1 << 18;

/**
 * Takes out of an assistant's text what was never meant to be read: reasoning, recalled memories, tool calls and results
 * in every spelling, control tokens. Code by CommonMark is left alone. The stages run until nothing changes, so that what a
 * cut joins is examined again and sanitising the result changes nothing. Linear in the text.
 */
export function sanitizeAssistantText(text: string): string {
  let current = text;
  let families = familiesIn(current);
  for (let budget = roundBudgetUnits + 2 * text.length; families !== 0; budget -= current.length + 64) {
    if (budget <= 0) return withoutOpenings(current);
    const next = runStages(current, families);
    if (next === current) break;
    current = next;
    families = familiesIn(current);
  }
  return current;
}

function runStages(text: string, families: number): string {
  let current = text;
  let present = families;
  let code = codeRegions(current);
  for (const [family, stage] of stages) {
    if ((present & family) === 0) continue;
    const next = stage(current, code);
    if (next === current) continue;
    current = next;
    present = familiesIn(current);
    code = codeRegions(current);
  }
  return current;
}

/** Markup nested deeper than any text has it: every character that could open some goes. */
function withoutOpenings(text: string): string {
  const flat = text.replace(/[<[]/g, "");
  return stripTraceLines(flat, codeRegions(flat));
}
