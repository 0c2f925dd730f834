import { cleanText, type NewMessage, type NewMessageRow, type RunResult, textOf } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import { isSkip } from "./silence.ts";

/** A runner's message as a row: tool results apart, a reply that is exactly a skip word hidden from every view. */
export function toRow(message: NewMessage, runId: string): NewMessageRow {
  const tool = message.role === "toolResult";
  return {
    id: newId(),
    role: message.role,
    class: tool ? 1 : isTextOnly(message) && isSkip(textOf(message.content)) ? 2 : 0,
    runId,
    body: {
      content: message.content,
      ...(message.toolCallId === undefined ? {} : { toolCallId: message.toolCallId }),
      ...(message.isError === undefined ? {} : { isError: message.isError }),
    },
  };
}

function isTextOnly({ content }: NewMessage): boolean {
  return typeof content === "string" || content.every(({ type }) => type === "text" || type === "thinking");
}

/** What a run said and what is still to be stored of it, given the messages it has emitted (and stored) before. */
export function readResult(result: RunResult, emitted: readonly NewMessage[]) {
  const returned = result.messages ?? [];
  const stored = new Map<string, number>();
  for (const message of emitted) {
    const key = JSON.stringify(message);
    stored.set(key, (stored.get(key) ?? 0) + 1);
  }
  const fresh = returned.filter((message) => {
    const key = JSON.stringify(message);
    const count = stored.get(key) ?? 0;
    if (count > 0) stored.set(key, count - 1);
    return count === 0;
  });
  const all = returned.length > 0 ? returned : emitted;
  const lastAssistant = all.findLast(({ role }) => role === "assistant");
  const text = result.text ?? (lastAssistant ? textOf(lastAssistant.content) : null);
  const said = text?.trim() ?? "";
  const missing =
    said !== "" && !all.some(({ role, content }) => role === "assistant" && textOf(content).trim() === said);
  const messages: readonly NewMessage[] = missing ? [...fresh, { role: "assistant", content: text ?? "" }] : fresh;
  return { text: text === null ? null : cleanText(text), messages };
}
