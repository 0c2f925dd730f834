import type { RunRequest, RunResult } from "@trunkline/core";
import { countWords, firstWords } from "../../documents/count-words.ts";
import { messageText, startTurn } from "./agent-turn.ts";
import { keepShort, nameOrdinals, readOrdinals } from "./choose-points.ts";
import { type Draft, draftWords, formatAnswer, parseDraft } from "./draft.ts";

/** The message that opens the editor's session; it asks for nothing, so the editor says nothing. */
export const openingText = "The console is open.";

const source = /\([^()\s]+:\d+\)/u;

/** The editor: counts words, proposes what to cut, applies what the coordinator decides, announces the result. */
export async function runEditor(request: RunRequest): Promise<RunResult> {
  return startTurn(request).end(textFor(request));
}

function textFor(request: RunRequest): string {
  const { prompt, run } = request;
  if (run.kind === "send") return propose(parseDraft(prompt));
  if (run.kind === "turn") return decide(request, prompt);
  if (run.kind === "flow_announce") return announce(request, prompt);
  if (prompt.trim() === openingText) return "NO_REPLY";
  return shortenLastAnswer(request);
}

function propose(draft: Draft | undefined): string {
  if (draft === undefined) return "Send me numbered points with their sources and a word limit.";
  const words = draftWords(draft.points);
  const cut = draft.points.map((_, index) => index).filter((index) => !keepShort(draft).includes(index));
  if (cut.length > 0) return `${words} words: cut ${nameOrdinals(cut)} ${cut.length === 1 ? "point" : "points"}?`;
  return words > draft.wordLimit ? `${words} words: cut its end?` : `${words} words: nothing to cut. Publish it so?`;
}

/** Only an exchange about a draft is announced; its first reply counted words. */
function announce(request: RunRequest, prompt: string): string {
  if (!/^Round 1 reply:\n\d+ words: /mu.test(prompt)) return "ANNOUNCE_SKIP";
  return decide(request, /^Latest reply:\n([\s\S]*?)\n\nReply with/mu.exec(prompt)?.[1]);
}

/** What to publish: an answer as it is, a decision applied to the draft, or the own proposal where none came. */
function decide(request: RunRequest, latest: string | undefined): string {
  if (latest !== undefined && source.test(latest)) return latest.trim();
  const draft = lastDraft(request);
  if (draft === undefined) return latest?.trim() ?? "";
  const decision = latest !== undefined && /\bkeep\b/u.test(latest) ? readOrdinals(latest) : undefined;
  return formatAnswer(draft, decision ?? keepShort(draft));
}

function lastDraft({ messages }: RunRequest): Draft | undefined {
  for (const { role, content } of messages.toReversed()) {
    const draft = role === "user" ? parseDraft(messageText(content)) : undefined;
    if (draft !== undefined) return draft;
  }
  return undefined;
}

function shortenLastAnswer({ prompt, messages }: RunRequest): string {
  const last = messages.findLast(({ role, content }) => role === "assistant" && source.test(messageText(content)));
  if (last === undefined) return "There is no answer to edit yet. Run the demo first: npx trunkline demo";
  const answer = messageText(last.content);
  const asked = Number(/\b(\d{1,3})\b/u.exec(prompt)?.[1] ?? Math.floor(countWords(answer) / 2));
  const shorter = firstWords(answer, Math.max(5, asked));
  return source.test(shorter) ? shorter : `${shorter} ${source.exec(answer)?.[0] ?? ""}`;
}
