import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, onTestFinished, test } from "vitest";
import { createAiSdkRunner, toAiSdkTools } from "../src/index.ts";
import { mockProvider } from "./mock-provider.ts";

async function open(config = {}) {
  const store = await createSqliteStore({ path: ":memory:" });
  const trunkline = await createTrunkline({ store, runners: createScriptedRunner(() => "ok"), deliverers: [], config });
  onTestFinished(() => store.close());
  return trunkline;
}

const usage = {
  inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined },
};

test("a foreign loop gets the caller's effective tools, and its calls act as that caller whatever the model writes", async () => {
  const trunkline = await open({ tools: { profile: "messaging" } });
  const tools = await toAiSdkTools(trunkline, { sessionKey: "agent:main:main" });
  expect(Object.keys(tools).sort()).toEqual(["session_status", "sessions_history", "sessions_list", "sessions_send"]);
  const inputs = ['{"limit":5}', '{"limit":"many"}', '{"callerSessionKey":"agent:b:main"}'];
  let call = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const input = inputs[call++];
      const content =
        input === undefined
          ? [{ type: "text" as const, text: "done" }]
          : [{ type: "tool-call" as const, toolCallId: `c${call}`, toolName: "sessions_list", input }];
      return {
        content,
        finishReason: { unified: input === undefined ? "stop" : "tool-calls", raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
  const { text, steps } = await generateText({ model, tools, stopWhen: isStepCount(8), prompt: "Which are busy?" });
  const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  expect(text).toBe("done");
  expect(outputs).toMatchObject([
    { count: 1, sessions: [{ key: "agent:main:main" }] },
    { status: "error", code: "invalid_input", path: "limit" },
    { status: "error", code: "invalid_input", path: "callerSessionKey" },
  ]);
});

test("the runner knows exactly the models of its providers, and spawn asks it", async () => {
  const provider = mockProvider({ answer: () => Promise.reject(new Error("not asked")), inputs: [] });
  const runner = createAiSdkRunner({ providers: { local: provider } });
  const known = ["local/any", "local/", "openai/gpt", "local", ""].map((model) => runner.knowsModel?.(model));
  expect(known).toEqual([true, false, false, false, false]);
  const store = await createSqliteStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  const trunkline = await createTrunkline({ store, runners: runner, deliverers: [], config: {} });
  const spawn = (model: string) =>
    trunkline.callTool({ sessionKey: "agent:main:main" }, "sessions_spawn", { task: "x", model });
  expect(await spawn("openai/gpt")).toMatchObject({ status: "error", code: "invalid_model" });
  expect(await spawn("local/any")).toMatchObject({ status: "accepted", model: "local/any" });
});
