import { type ContentBlock, isInterSession, markInterSession, type RunMessage, textOf } from "@trunkline/core";
import type { ModelMessage } from "ai";

type AssistantPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: unknown };

/**
 * A transcript as every provider takes it: calls and results in pairs (a call that was never answered gets an answer
 * that says so, a result without its call is left out), no reasoning, no empty message, notices as user text,
 * texts of other sessions behind the marker that says they are data.
 */
export function toModelMessages(messages: readonly RunMessage[], prompt: string): ModelMessage[] {
  const results = new Map<string, RunMessage>();
  for (const message of messages) {
    if (message.role === "toolResult" && message.toolCallId !== undefined) results.set(message.toolCallId, message);
  }
  const converted: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === "assistant") converted.push(...assistantMessages(message, results));
    else if (message.role !== "toolResult") pushUser(converted, userText(message));
  }
  pushUser(converted, prompt);
  return converted;
}

function assistantMessages(message: RunMessage, results: ReadonlyMap<string, RunMessage>): ModelMessage[] {
  const parts = blocksOf(message).flatMap(assistantPart);
  if (parts.length === 0) return [];
  const calls = parts.filter((part) => part.type === "tool-call");
  const assistant: ModelMessage = { role: "assistant", content: parts };
  if (calls.length === 0) return [assistant];
  const answers = calls.map(({ toolCallId, toolName }) => {
    const result = results.get(toolCallId);
    const value = result === undefined ? "The call was interrupted before it was answered." : textOf(result.content);
    return { type: "tool-result" as const, toolCallId, toolName, output: { type: "text" as const, value } };
  });
  return [assistant, { role: "tool", content: answers }];
}

function assistantPart(block: ContentBlock): AssistantPart[] {
  if (block.type === "text") return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
  if (block.type !== "toolCall") return [];
  return [{ type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.arguments ?? {} }];
}

function userText(message: RunMessage): string {
  const text = textOf(message.content);
  if (text === "") return text;
  if (isInterSession(message.provenance)) return markInterSession(text, message.provenance);
  return message.role === "system" ? `[Notice] ${text}` : text;
}

// Two user turns in a row are refused by some providers and merged by others: they become one here.
function pushUser(converted: ModelMessage[], text: string): void {
  if (text.trim() === "") return;
  const last = converted.at(-1);
  if (last?.role === "user" && typeof last.content === "string") {
    converted[converted.length - 1] = { role: "user", content: `${last.content}\n\n${text}` };
    return;
  }
  converted.push({ role: "user", content: text });
}

function blocksOf({ content }: RunMessage): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
