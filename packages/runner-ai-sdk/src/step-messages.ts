import type { ContentBlock, NewMessage } from "@trunkline/core";
import type { AssistantContent, ModelMessage, StepResult, ToolSet } from "ai";

/** What one model call came to: rows for the transcript, messages for the next call, and whether the model waits for tools. */
export interface StepOutcome {
  readonly rows: readonly NewMessage[];
  readonly messages: readonly ModelMessage[];
  readonly text: string;
  readonly calledTools: boolean;
}

/** Reads a finished step; reasoning is kept in the rows, raw, and never sent back. */
export function readStep(step: StepResult<ToolSet>): StepOutcome {
  const blocks = step.content.flatMap(toBlock);
  const answers = step.content.flatMap(toAnswer);
  const assistant: NewMessage[] = blocks.length === 0 ? [] : [{ role: "assistant", content: compact(blocks) }];
  const calls = blocks.filter((block) => block.type === "toolCall");
  return {
    rows: [
      ...assistant,
      ...answers.map(
        ({ id, value, isError }): NewMessage => ({
          role: "toolResult",
          toolCallId: id,
          content: value,
          ...(isError ? { isError } : {}),
        }),
      ),
    ],
    messages: modelMessages(blocks, answers),
    text: step.text,
    calledTools: calls.length > 0,
  };
}

interface Answer {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly isError: boolean;
}

type Part = StepResult<ToolSet>["content"][number];

function toBlock(part: Part): ContentBlock[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "reasoning":
      return part.text === "" ? [] : [{ type: "thinking", text: part.text }];
    case "tool-call":
      return [{ type: "toolCall", id: part.toolCallId, name: part.toolName, arguments: part.input }];
    default:
      return [];
  }
}

function toAnswer(part: Part): Answer[] {
  if (part.type === "tool-result") {
    return [{ id: part.toolCallId, name: part.toolName, value: asText(part.output), isError: false }];
  }
  if (part.type !== "tool-error") return [];
  const { error } = part;
  const value = JSON.stringify({ status: "error", error: error instanceof Error ? error.message : String(error) });
  return [{ id: part.toolCallId, name: part.toolName, value, isError: true }];
}

function modelMessages(blocks: readonly ContentBlock[], answers: readonly Answer[]): ModelMessage[] {
  const content = blocks.flatMap(toModelPart);
  const messages: ModelMessage[] = content.length === 0 ? [] : [{ role: "assistant", content }];
  if (answers.length === 0) return messages;
  const results = answers.map(({ id, name, value, isError }) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: name,
    output: { type: isError ? ("error-text" as const) : ("text" as const), value },
  }));
  return [...messages, { role: "tool", content: results }];
}

type ModelPart = Exclude<AssistantContent, string>[number];

function toModelPart(block: ContentBlock): ModelPart[] {
  if (block.type === "text") return [{ type: "text", text: block.text }];
  if (block.type !== "toolCall") return [];
  return [{ type: "tool-call", toolCallId: block.id, toolName: block.name, input: objectOf(block.arguments) }];
}

/** Providers refuse a call whose input is no object, which a garbled call's is. */
function objectOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? value : {};
}

function asText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}

function compact(blocks: readonly ContentBlock[]): NewMessage["content"] {
  const [only] = blocks;
  return blocks.length === 1 && only?.type === "text" ? only.text : blocks;
}
