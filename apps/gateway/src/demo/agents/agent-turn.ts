import type { ContentBlock, NewMessage, RunRequest, RunResult } from "@trunkline/core";

/** One turn of a demo agent: its tool calls are kept as messages, as a model's would be. */
export interface AgentTurn {
  /** Calls a tool of this run; a tool that the run has not is an error result. */
  call(name: string, args: object): Promise<unknown>;
  /** Ends the turn; an empty text says nothing. */
  end(text: string): RunResult;
}

/** Starts a turn. */
export function startTurn(request: RunRequest): AgentTurn {
  const messages: NewMessage[] = [];
  return {
    async call(name, args) {
      const id = `call-${request.run.id}-${messages.length}`;
      messages.push({ role: "assistant", content: [{ type: "toolCall", id, name, arguments: args }] });
      const tool = request.tools.find((candidate) => candidate.name === name);
      const result = await (tool?.call(args) ?? { status: "error", error: `the tool ${name} is not available` });
      messages.push({ role: "toolResult", toolCallId: id, content: JSON.stringify(result) });
      return result;
    },
    end(text) {
      return { text, messages: text === "" ? messages : [...messages, { role: "assistant", content: text }] };
    },
  };
}

/** The text of a message, its blocks joined. */
export function messageText(content: string | readonly ContentBlock[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** Whether a tool's result has this status. */
export function hasStatus(result: unknown, status: string): boolean {
  return typeof result === "object" && result !== null && "status" in result && result.status === status;
}
