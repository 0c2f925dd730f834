import { randomUUID } from "node:crypto";
import type { NewMessage, RunRequest, RunResult } from "@trunkline/core";
import { createFakeModel } from "./fake-model.ts";
import type { Ran, RunnerBench, RunnerCase, RunnerNeed, RunnerSuiteOptions } from "./runner-case.ts";

/** Runs one case. Resolves to what the case needs and the runner does not declare. */
export async function runRunnerCase(
  one: RunnerCase,
  options: RunnerSuiteOptions,
): Promise<"passed" | { readonly notAsked: RunnerNeed }> {
  if (one.requires && !(await has(one.requires, options))) return { notAsked: one.requires };
  await one.run(createBench(options));
  return "passed";
}

async function has(need: RunnerNeed, options: RunnerSuiteOptions): Promise<boolean> {
  if (need !== "steers") return options.capabilities?.[need] !== false;
  return (await options.create(createFakeModel([]))).steers === true;
}

function createBench(options: RunnerSuiteOptions): RunnerBench {
  const runner: RunnerBench["runner"] = async (script) => {
    const model = createFakeModel(script);
    return { runner: await options.create(model), model };
  };
  const request: RunnerBench["request"] = (over) => ({
    run: { id: randomUUID(), kind: "inbound", attempt: 1 },
    session: {
      key: "agent:main:main",
      sessionId: randomUUID(),
      agentId: "main",
      kind: "main",
      channel: "webchat",
      spawnDepth: 0,
    },
    prompt: "the prompt of the case",
    messages: [],
    systemPrompt: "the system prompt of the case",
    tools: [],
    signal: new AbortController().signal,
    emit: () => undefined,
    ...over,
  });
  return {
    options,
    runner,
    request,
    async run(script, over) {
      const made = await runner(script);
      return runRequest(request(over), made.model.inputs, (each) => made.runner.run(each));
    },
  };
}

async function runRequest(
  request: RunRequest,
  inputs: readonly string[],
  run: (request: RunRequest) => Promise<RunResult>,
): Promise<Ran> {
  const shown: string[] = [];
  const emitted: NewMessage[] = [];
  const result = await run({
    ...request,
    emit(event) {
      if (event.type === "text") shown.push(event.text);
      else if (event.type === "message") emitted.push(event.message);
      request.emit(event);
    },
  });
  const messages = [...emitted, ...(result.messages ?? [])];
  return { result, text: result.text ?? lastText(messages), messages, shown, inputs };
}

function lastText(messages: readonly NewMessage[]): string {
  const content = messages.findLast((message) => message.role === "assistant")?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
