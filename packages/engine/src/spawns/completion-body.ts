import { crossingText, isSkipWord, type Outcome, type UsageTotals } from "@trunkline/core";
import { readSections } from "./read-sections.ts";

export interface CompletionFacts {
  readonly outcome: Outcome;
  /** The announce step's text, else the captured one, raw; `null` when there is none. */
  readonly text: string | null;
  readonly error?: string | undefined;
  readonly runtimeMs: number | undefined;
  readonly usage: UsageTotals;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly transcriptPath?: string | undefined;
}

/**
 * The normalised text of a completion: status from the runtime, result, notes, and one line of figures.
 * Whatever the child or its runner said is cleaned as a text that crosses from one session to another.
 */
export function buildCompletionBody(facts: CompletionFacts): string {
  const { result, notes } = readSections(crossingText(facts.text ?? ""));
  const error = crossingText(facts.error ?? "")
    .replace(/\s+/g, " ")
    .trim();
  const bullets = [...(error === "" ? [] : [error]), ...notes].map((note) =>
    /^[-*•]\s/.test(note) ? note : `- ${note}`,
  );
  return [
    `Status: ${facts.outcome}`,
    `Result: ${result === "" || isSkipWord(result) ? "(not available)" : result}`,
    "Notes:",
    ...(bullets.length === 0 ? ["- (none)"] : bullets),
    statsLine(facts),
  ].join("\n");
}

function statsLine(facts: CompletionFacts): string {
  const { usage } = facts;
  const parts = [
    `runtime ${facts.runtimeMs === undefined ? "n/a" : formatDuration(facts.runtimeMs)}`,
    `tokens ${usage.inputTokens} in / ${usage.outputTokens} out / ${usage.totalTokens} total`,
    ...(usage.nanoUsd > 0 ? [`est. cost $${(usage.nanoUsd / 1e9).toFixed(4)}`] : []),
    `sessionKey ${facts.sessionKey}`,
    `sessionId ${facts.sessionId}`,
    ...(facts.transcriptPath === undefined ? [] : [`transcript ${facts.transcriptPath}`]),
  ];
  return `Stats: ${parts.join(" · ")}`;
}

function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
