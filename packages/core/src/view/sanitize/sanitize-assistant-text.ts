import { stripBracketBlocks } from "./bracket-block.ts";
import { codeRegions } from "./code-regions.ts";
import { stripControlTokens } from "./control-tokens.ts";
import { stripDowngraded } from "./downgraded.ts";
import { isMemoryName, stripMemories } from "./memories.ts";
import { isMinimaxName, stripMinimax } from "./minimax.ts";
import { mayHoldNamedBlock, stripNamedBlocks } from "./named-block.ts";
import { isReasoningName, stripReasoning } from "./reasoning.ts";
import type { Stage } from "./stage.ts";
import { nextTagHead } from "./tag.ts";
import { isToolName } from "./tool-names.ts";
import { stripToolXml } from "./tool-xml.ts";
import { mayHoldTraceLine, stripTraceLines } from "./trace-lines.ts";

/** In this order; each sees what the ones before it left. */
const stages: readonly Stage[] = [
  stripMinimax,
  stripNamedBlocks,
  stripControlTokens,
  stripMemories,
  stripToolXml,
  stripTraceLines,
  stripBracketBlocks,
  stripDowngraded,
  stripReasoning,
];

/** How much text, beyond eight times a text's own length, the rounds over it may read in all. */
const roundBudgetUnits = 1 << 18;

/**
 * Takes out of an assistant's text what was never meant to be read (contract §3 step 2): reasoning, recalled memories,
 * tool calls and results in every spelling, control tokens. Code by CommonMark is left alone. The stages run until nothing
 * changes, so that what a cut joins is examined again and sanitising the result changes nothing. Linear in the text.
 */
export function sanitizeAssistantText(text: string): string {
  if (!mayHoldMarkup(text)) return text;
  let current = text;
  let budget = roundBudgetUnits + 8 * text.length;
  while (budget > 0) {
    const next = runStages(current);
    if (next === current) return current;
    budget -= current.length + 64;
    current = next;
    if (!mayHoldMarkup(current)) return current;
  }
  return withoutOpenings(current);
}

function runStages(text: string): string {
  let current = text;
  let code = codeRegions(current);
  for (const stage of stages) {
    const next = stage(current, code);
    if (next === current) continue;
    current = next;
    code = codeRegions(current);
  }
  return current;
}

/** Markup nested deeper than any text has it: every character that could open some goes. */
function withoutOpenings(text: string): string {
  const flat = text.replace(/[<[]/g, "");
  return stripTraceLines(flat, codeRegions(flat));
}

const bracketMarker = /\[[ \t]*(?:\/[ \t]*)?tool[ _:]|\[historical context|\[end_tool_request\]/i;

/** Cheap and without false negatives: most texts hold nothing that a stage looks for. */
function mayHoldMarkup(text: string): boolean {
  if (text.includes("<") && mayHoldTag(text)) return true;
  if (text.includes("[") && (bracketMarker.test(text) || (text.includes("[/") && mayHoldNamedBlock(text)))) return true;
  return mayHoldTraceLine(text);
}

function mayHoldTag(text: string): boolean {
  if (/<[|｜]|<\]minimax/.test(text)) return true;
  return nextTagHead(text, 0, isAnyName) !== undefined;
}

function isAnyName(name: string): boolean {
  return isReasoningName(name) || isToolName(name) || isMemoryName(name) || isMinimaxName(name);
}
