import type { FakeModel, ModelAnswer } from "@trunkline/testkit";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/** The SDK's own mock model, answering with what a case's script says. */
export function mockProvider(model: FakeModel) {
  return (modelId: string) =>
    new MockLanguageModelV4({
      modelId,
      doStream: async ({ prompt, abortSignal }) => {
        const answer = await model.answer(JSON.stringify(prompt), abortSignal);
        return {
          stream: simulateReadableStream({ chunks: partsOf(answer), initialDelayInMs: null, chunkDelayInMs: null }),
        };
      },
    });
}

function partsOf({ text, toolCalls, usage }: ModelAnswer): StreamPart[] {
  return [
    { type: "stream-start", warnings: [] },
    ...(text === ""
      ? []
      : ([
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: text },
          { type: "text-end", id: "t" },
        ] as const)),
    ...toolCalls.map(
      ({ id, name, argumentsText }) =>
        ({ type: "tool-call", toolCallId: id, toolName: name, input: argumentsText }) as const,
    ),
    {
      type: "finish",
      finishReason: { unified: toolCalls.length > 0 ? "tool-calls" : "stop", raw: undefined },
      usage: {
        inputTokens: { total: usage.inputTokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: usage.outputTokens, text: undefined, reasoning: undefined },
      },
    },
  ];
}
