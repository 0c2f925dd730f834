import type { Runner, RunRequest, RunResult, Usage } from "@trunkline/core";
import {
  isStepCount,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type StepResult,
  streamText,
  type ToolSet,
} from "ai";
import { compactTranscript } from "./compact-transcript.ts";
import { modelFailure } from "./model-failure.ts";
import { toModelMessages } from "./model-messages.ts";
import { isKnownReference, type ModelProviders, resolveModel } from "./model-reference.ts";
import { toToolSet } from "./run-tools.ts";
import { readStep } from "./step-messages.ts";

export interface AiSdkRunnerOptions {
  /** AI SDK providers by the prefix of their model references, e.g. `{ openai, local }` for `openai/…` and `local/…`. */
  readonly providers: ModelProviders;
  /** The reference used for an agent that has no model configured. */
  readonly defaultModel?: string;
  /** The most model calls in one run; default 50. */
  readonly maxSteps?: number;
  /** How often a call is tried again after a transient error, with back-off or the provider's own wait; default 3. */
  readonly maxRetries?: number;
  /** Above so many estimated tokens older turns are summarised before the call; default 100 000, 0 = never. */
  readonly compactAboveTokens?: number;
}

/** A runner for every model that the AI SDK reaches: tool loop, streaming, steering, retries, usage, compaction. */
export function createAiSdkRunner(options: AiSdkRunnerOptions): Runner {
  return {
    id: "ai-sdk",
    steers: true,
    knowsModel: (reference) => isKnownReference(options.providers, reference),
    async run(request) {
      try {
        return await runTurn(options, request);
      } catch (error) {
        throw modelFailure(error);
      }
    },
  };
}

async function runTurn(options: AiSdkRunnerOptions, request: RunRequest): Promise<RunResult> {
  request.signal.throwIfAborted();
  const model = resolveModel(options.providers, request.model ?? options.defaultModel);
  const limit = options.compactAboveTokens ?? 100_000;
  const transcript = await compactTranscript(model, request, limit);
  const messages = toModelMessages(transcript, request.prompt);
  const tools = toToolSet(request.tools);
  let usage: Usage = {};
  let text = "";
  for (let step = 0; step < (options.maxSteps ?? 50); step++) {
    const result = await callModel(options, request, model, messages, tools);
    const outcome = readStep(result);
    usage = add(usage, result.usage);
    text = outcome.text;
    messages.push(...outcome.messages);
    for (const row of outcome.rows) request.emit({ type: "message", message: row });
    request.signal.throwIfAborted();
    const steered = await takeInput(request, messages);
    if (!outcome.calledTools && !steered) break;
  }
  return { text, usage, ...named(request.model ?? options.defaultModel) };
}

function named(model: string | undefined): { readonly model?: string } {
  return model === undefined ? {} : { model };
}

async function callModel(
  options: AiSdkRunnerOptions,
  request: RunRequest,
  model: LanguageModel,
  messages: readonly ModelMessage[],
  tools: ToolSet,
): Promise<StepResult<ToolSet>> {
  const maxRetries = options.maxRetries ?? 3;
  let failure: unknown;
  const result = streamText({
    model,
    instructions: request.systemPrompt,
    messages: [...messages],
    tools,
    stopWhen: isStepCount(1),
    abortSignal: request.signal,
    maxRetries,
    streamRetries: maxRetries,
    onError: ({ error }) => {
      failure = error;
    },
    ...reasoningOf(request.thinking),
  });
  for await (const part of result.fullStream) {
    if (part.type === "text-delta") request.emit({ type: "text", text: part.text });
    else if (part.type === "error") failure = part.error;
    else if (part.type === "abort") request.signal.throwIfAborted();
  }
  const [step] = await result.steps.then(
    (steps) => steps,
    (error: unknown) => {
      throw failure ?? error;
    },
  );
  if (step === undefined) throw failure ?? new Error("the model gave no answer");
  return step;
}

/** A thinking level in the SDK's own terms; a provider that has none ignores it. */
function reasoningOf(thinking: string | undefined) {
  switch (thinking) {
    case "off":
      return { reasoning: "none" as const };
    case "minimal":
    case "low":
    case "medium":
    case "high":
    case "xhigh":
      return { reasoning: thinking };
    default:
      return {};
  }
}

async function takeInput(request: RunRequest, messages: ModelMessage[]): Promise<boolean> {
  const texts = (await request.takeInput?.()) ?? [];
  for (const content of texts) messages.push({ role: "user", content });
  return texts.length > 0;
}

function add(usage: Usage, step: LanguageModelUsage): Usage {
  const inputTokens = (usage.inputTokens ?? 0) + (step.inputTokens ?? 0);
  const outputTokens = (usage.outputTokens ?? 0) + (step.outputTokens ?? 0);
  return {
    inputTokens,
    outputTokens,
    totalTokens: (usage.totalTokens ?? 0) + (step.totalTokens ?? inputTokens + outputTokens),
  };
}
