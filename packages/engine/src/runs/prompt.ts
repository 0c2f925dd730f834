import {
  crossingText,
  defangMarker,
  type FlowRecord,
  isInterSession,
  type MessageRecord,
  markInterSession,
  type SpawnRecord,
  textOf,
} from "@trunkline/core";
import type { StartedRun } from "./start-run.ts";

export interface PromptParts extends StartedRun {
  readonly flow: FlowRecord | undefined;
  readonly spawn: SpawnRecord | undefined;
  /** The messages that are the run's input, in order, after the notices that it is shown. */
  readonly inputs: readonly MessageRecord[];
  /** The private note of the yield that this run resumes. */
  readonly note: string | undefined;
}

/** The input that a runner gets: notices first, then what the run is for. */
export function buildPrompt(parts: PromptParts): string {
  const notices = parts.notices.map(({ text }) => text);
  return [...notices, ...body(parts)].filter((text) => text !== "").join("\n\n");
}

function body(parts: PromptParts): readonly string[] {
  const { run, flow, spawn, inputs } = parts;
  switch (run.kind) {
    case "turn":
      return [turnLine(parts), ...inputs.map(inputText)];
    case "flow_announce":
      return flow ? [announcePrompt(flow)] : [];
    case "child_announce":
      return spawn ? [childAnnouncePrompt(spawn)] : [];
    case "resume":
      return [
        "Your sub-agents have finished. Their results follow; go on with the work.",
        ...(parts.note ? [`Your note before the wait: ${parts.note}`] : []),
        ...inputs.map(inputText),
      ];
    case "continuation":
      return [
        "Your sub-agents have finished after you ended. Their results follow; give your final answer now.",
        ...inputs.map(inputText),
      ];
    default:
      return inputs.map(inputText);
  }
}

function inputText(message: MessageRecord): string {
  const text = textOf(message.body.content);
  const provenance = message.provenance ?? undefined;
  return isInterSession(provenance) ? markInterSession(text, provenance) : text;
}

function turnLine({ run, flow }: PromptParts): string {
  const turn = Number(run.cause.slice(run.cause.lastIndexOf(":") + 1));
  const side = turn % 2 === 1 ? "the session that asked" : "the session that was asked";
  return [
    `Exchange between two sessions, turn ${turn} of ${flow?.maxTurns ?? turn}. You are ${side}; the other side's last text follows.`,
    "Answer it, or reply exactly REPLY_SKIP to end the exchange.",
  ].join("\n");
}

function announcePrompt(flow: FlowRecord): string {
  return [
    "An exchange with another session is over. Decide what this session's own chat should read about it.",
    `Original request:\n${quote(flow.request)}`,
    `Round 1 reply:\n${quote(flow.firstReply ?? "(none)")}`,
    `Latest reply:\n${quote(flow.latestReply ?? "(none)")}`,
    "Reply with the text to post, or exactly ANNOUNCE_SKIP to post nothing.",
  ].join("\n\n");
}

function childAnnouncePrompt(spawn: SpawnRecord): string {
  return [
    "Your task is done. Summarise the result for the session that asked for it.",
    `Task:\n${quote(spawn.task)}`,
    `Your final text:\n${quote(spawn.captured ?? "(none)")}`,
    "Reply with the result itself, or exactly ANNOUNCE_SKIP to have nothing posted.",
  ].join("\n\n");
}

function quote(text: string): string {
  return defangMarker(crossingText(text));
}
