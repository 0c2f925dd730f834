import type { ContentBlock, NewMessage, Runner, RunRequest } from "@trunkline/core";
import type { FakeModel, ModelToolCall } from "@trunkline/testkit";

/** The smallest whole agent loop, as an author would write it on a provider's client. */
export function createLoopRunner(model: FakeModel): Runner {
  return {
    id: "loop",
    steers: true,
    async run(request) {
      const messages: NewMessage[] = [];
      const steered: string[] = [];
      const usage = { inputTokens: 0, outputTokens: 0 };
      for (;;) {
        request.signal.throwIfAborted();
        const answer = await model.answer(inputOf(request, messages, steered), request.signal);
        usage.inputTokens += answer.usage.inputTokens;
        usage.outputTokens += answer.usage.outputTokens;
        messages.push({ role: "assistant", content: blocksOf(answer.text, answer.toolCalls) });
        if (answer.toolCalls.length === 0) return { text: answer.text, messages, usage };
        messages.push(...(await Promise.all(answer.toolCalls.map((call) => resultOf(request, call)))));
        steered.push(...((await request.takeInput?.()) ?? []));
      }
    },
  };
}

const inputOf = (request: RunRequest, messages: readonly NewMessage[], steered: readonly string[]): string =>
  JSON.stringify([request.systemPrompt, request.messages, request.prompt, messages, steered]);

const blocksOf = (text: string, calls: readonly ModelToolCall[]): readonly ContentBlock[] => [
  { type: "text", text },
  ...calls.map(({ id, name, argumentsText }) => ({
    type: "toolCall" as const,
    id,
    name,
    arguments: decoded(argumentsText),
  })),
];

function decoded(argumentsText: string): unknown {
  try {
    return JSON.parse(argumentsText);
  } catch {
    return argumentsText;
  }
}

async function resultOf({ tools }: RunRequest, call: ModelToolCall): Promise<NewMessage> {
  const result = (content: unknown, isError = false): NewMessage => ({
    role: "toolResult",
    toolCallId: call.id,
    content: JSON.stringify(content) ?? "",
    isError,
  });
  const tool = tools.find((one) => one.name === call.name);
  if (!tool) return result(`there is no tool ${call.name}`, true);
  try {
    return result(await tool.call(JSON.parse(call.argumentsText)));
  } catch {
    return result("the arguments are not JSON", true);
  }
}
