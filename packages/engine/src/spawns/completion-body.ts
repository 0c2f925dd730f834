import type { Outcome, UsageTotals } from "@trunkline/core";

export interface CompletionFacts {
  readonly outcome: Outcome;
  /** The announce step's text, else the captured one, already cleaned for crossing; `null` when there is none. */
  readonly text: string | null;
  readonly error?: string | undefined;
  readonly runtimeMs: number | undefined;
  readonly usage: UsageTotals;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly transcriptPath?: string | undefined;
}

/** The normalised text of a completion (contract §2.4): status from the runtime, result, notes, and one line of figures. */
export function buildCompletionBody(facts: CompletionFacts): string {
  const sections = readSections(facts.text ?? "");
  const notes = [...(facts.error === undefined ? [] : [`- ${facts.error}`]), ...sections.notes];
  return [
    `Status: ${facts.outcome}`,
    `Result: ${sections.result === "" ? "(not available)" : sections.result}`,
    "Notes:",
    ...(notes.length === 0 ? ["- (none)"] : notes),
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

type Section = "status" | "result" | "notes";
const headings: readonly (readonly [string, Section])[] = [
  ["status:", "status"],
  ["result:", "result"],
  ["notes:", "notes"],
];

/** Splits a text that follows the Status / Result / Notes form; any other text is all result. A model's own status is dropped. */
function readSections(text: string): { readonly result: string; readonly notes: readonly string[] } {
  const lines = text.trim().split("\n");
  const found: Record<Section, string[]> = { status: [], result: [], notes: [] };
  let section: Section = "result";
  for (const line of lines) {
    const heading = headings.find(([word]) => line.trimStart().toLowerCase().startsWith(word));
    if (heading) section = heading[1];
    const rest = heading ? line.trimStart().slice(heading[0].length).trimStart() : line;
    if (!heading || rest !== "") found[section].push(rest);
  }
  return {
    result: found.result.join("\n").trim(),
    notes: found.notes
      .map((note) => note.trim())
      .filter((note) => note !== "")
      .map((note) => (note.startsWith("-") ? note : `- ${note}`)),
  };
}
