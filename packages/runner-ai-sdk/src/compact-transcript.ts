import { type RunMessage, type RunRequest, textOf } from "@trunkline/core";
import { generateText, type LanguageModel } from "ai";

const keptTurns = 6;
const bytesPerToken = 4;
const instructions =
  "Summarise this conversation for the one who continues it: decisions, facts, names, numbers, open tasks. Plain text, no preamble.";

/**
 * The transcript to send. Above the limit the older turns are summarised by the model, the summary is recorded in the
 * session (`compacted`), and the newest turns follow it whole.
 */
export async function compactTranscript(
  model: LanguageModel,
  request: RunRequest,
  limitTokens: number,
): Promise<readonly RunMessage[]> {
  const { messages } = request;
  if (limitTokens === 0 || estimateTokens(messages) <= limitTokens) return messages;
  const cut = startOfKeptTurns(messages);
  const older = messages.slice(0, cut);
  const last = older.at(-1);
  if (last === undefined) return messages;
  const { text: summary } = await generateText({
    model,
    instructions,
    prompt: render(older, limitTokens),
    abortSignal: request.signal,
  });
  request.emit({ type: "compacted", summary, throughSeq: last.seq });
  const entry: RunMessage = { ...last, role: "system", content: `Summary of the conversation so far:\n${summary}` };
  return [entry, ...messages.slice(cut)];
}

/** Turns begin with a user message; a cut there parts no call from its result. */
function startOfKeptTurns(messages: readonly RunMessage[]): number {
  let turns = 0;
  for (let index = messages.length - 1; index > 0; index--) {
    if (messages[index]?.role === "user" && ++turns === keptTurns) return index;
  }
  return messages.findLastIndex(({ role }) => role === "user");
}

function estimateTokens(messages: readonly RunMessage[]): number {
  return messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message.content)), 0) / bytesPerToken;
}

// What is to be summarised must itself fit: of each message its beginning, of all the newest.
function render(messages: readonly RunMessage[], limitTokens: number): string {
  const room = limitTokens * bytesPerToken * 0.8;
  const lines: string[] = [];
  let used = 0;
  for (const message of messages.toReversed()) {
    const line = `${message.role}: ${textOf(message.content).slice(0, 4000).toWellFormed()}`;
    used += Buffer.byteLength(line);
    if (used > room) break;
    lines.unshift(line);
  }
  return lines.join("\n");
}
