import type { Runner, RunRequest } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { type FakeModel, type RunnerCase, runnerCases, runRunnerCase } from "../../src/index.ts";
import { createLoopRunner } from "./loop-runner.ts";

/** A runner that is given another request than the engine made. */
const given = (change: (request: RunRequest) => RunRequest) => (model: FakeModel) => {
  const runner = createLoopRunner(model);
  return { ...runner, run: (request: RunRequest) => runner.run(change(request)) };
};

/** A fault, and the case that has to find it. */
const mutants: readonly (readonly [string, string, (model: FakeModel) => Runner])[] = [
  [
    "the signal is not looked at",
    'is aborted as "cancelled"',
    given((request) => ({ ...request, signal: new AbortController().signal })),
  ],
  [
    "a yield is not looked at",
    "a yield ends the turn",
    given((request) => ({ ...request, signal: new AbortController().signal })),
  ],
  [
    "an aborted run starts",
    "calls no model",
    given((request) => ({ ...request, signal: new AbortController().signal })),
  ],
  ["the transcript is left out", "the transcript in order", given((request) => ({ ...request, messages: [] }))],
  [
    "the transcript is reversed",
    "the transcript in order",
    given((request) => ({ ...request, messages: request.messages.toReversed() })),
  ],
  [
    "the prompt is repeated",
    "from one call",
    given((request) => ({ ...request, prompt: `${request.prompt} ${request.prompt}` })),
  ],
  ["mid-run messages are not taken", "came mid-run", given((request) => ({ ...request, takeInput: async () => [] }))],
  [
    "the arguments are lost",
    "with the model's arguments",
    given((request) => ({
      ...request,
      tools: request.tools.map((tool) => ({ ...tool, call: () => tool.call({}) })),
    })),
  ],
  [
    "refusals are hidden",
    "a tool's refusal",
    given((request) => ({
      ...request,
      tools: request.tools.map((tool) => ({ ...tool, call: async (args) => void (await tool.call(args)) })),
    })),
  ],
  [
    "the text is cut",
    "a text of 1 MB",
    changed((result) => ({ ...result, text: result.text?.slice(0, 65_535) ?? "" })),
  ],
  ["tool messages are dropped", "with the model's arguments", changed(({ text = "" }) => ({ text }))],
  ["usage is not reported", "token counts", changed(({ usage: _usage, ...result }) => result)],
  [
    "calls lose their ids",
    "each result keeps its call",
    changed((result) => ({
      ...result,
      messages: (result.messages ?? []).map((message) =>
        message.toolCallId ? { ...message, toolCallId: "call-1" } : message,
      ),
    })),
  ],
  [
    "a failing provider is an empty answer",
    "a provider that fails",
    (model) => {
      const runner = createLoopRunner(model);
      return { ...runner, run: (request) => runner.run(request).catch(() => ({ text: "" })) };
    },
  ],
  [
    "runs share one prompt",
    "two runs at once",
    (model) => {
      const runner = createLoopRunner(model);
      let last = "";
      return {
        ...runner,
        async run(request) {
          last = request.prompt;
          await new Promise(setImmediate);
          return runner.run({ ...request, prompt: last });
        },
      };
    },
  ],
];

function changed(change: (result: Awaited<ReturnType<Runner["run"]>>) => Awaited<ReturnType<Runner["run"]>>) {
  return (model: FakeModel) => {
    const runner = createLoopRunner(model);
    return { ...runner, run: async (request: RunRequest) => change(await runner.run(request)) };
  };
}

function caseWith(part: string): RunnerCase {
  const found = runnerCases.find((one) => one.name.includes(part));
  if (!found) throw new Error(`no case is named "${part}"`);
  return found;
}

describe("a runner with one fault is caught", () => {
  test.each(mutants)("%s", { timeout: 30_000 }, async (_fault, caughtBy, create) => {
    await expect(runRunnerCase(caseWith(caughtBy), { name: "loop", create })).rejects.toThrow();
  });
});

test("a case that a capability switches off is not asked", async () => {
  const plain = {
    name: "plain",
    capabilities: { tools: false },
    create: (model: FakeModel) => ({ ...createLoopRunner(model), steers: false }),
  };
  expect(await runRunnerCase(caseWith("with the model's arguments"), plain)).toEqual({ notAsked: "tools" });
  expect(await runRunnerCase(caseWith("came mid-run"), plain)).toEqual({ notAsked: "steers" });
});
