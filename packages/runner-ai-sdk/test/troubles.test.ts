import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createAiSdkRunner } from "../src/index.ts";
import { startChatServer, type Trouble } from "./openai-compatible-server.ts";

interface Said {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly argumentsText: string }[];
}

/** A whole installation whose model is a server on this machine that answers as `answer` says. */
async function open(answer: (input: string, call: number) => Said, troubles: (Trouble | undefined)[] = []) {
  let calls = 0;
  const usage = { inputTokens: 10, outputTokens: 2 };
  const server = await startChatServer(
    { answer: async (input) => ({ text: "", toolCalls: [], usage, ...answer(input, ++calls) }) },
    troubles,
  );
  const store = await createSqliteStore({ path: ":memory:" });
  const local = createOpenAICompatible({ name: "local", baseURL: server.url, includeUsage: true });
  const trunkline = await createTrunkline({
    store,
    runners: createAiSdkRunner({ providers: { local }, maxRetries: 2, compactAboveTokens: 2000 }),
    deliverers: [],
    config: { agents: { list: [{ id: "main", default: true, model: "local/fake" }] } },
  });
  await trunkline.start();
  onTestFinished(async () => {
    await trunkline.stop({ drainMs: 0 });
    await store.close();
    await server.close();
  });
  const ask = async (text: string) => {
    const { runId } = await trunkline.submit({ sessionKey: "agent:main:main", text });
    return trunkline.waitForRun(runId, { timeoutMs: 30_000 });
  };
  return { trunkline, server, ask, calls: () => calls };
}

const main = { sessionKey: "agent:main:main" };

test("a 429 with retry-after is tried again inside the run, and the answer comes", async () => {
  const { ask, server } = await open(
    () => ({ text: "Hello." }),
    [{ kind: "status", status: 429, headers: { "retry-after": "0" } }],
  );
  expect(await ask("hi")).toEqual({ status: "ok", reply: "Hello." });
  expect(server.requests).toBe(2);
});

test("a refusal that no retry can cure fails the run at once, and tells no key and no body", async () => {
  const { ask, server } = await open(() => ({ text: "never" }), [{ kind: "status", status: 401 }]);
  expect(await ask("hi")).toEqual({ status: "error", code: "run_failed", error: "the model's provider answered 401" });
  expect(server.requests).toBe(1);
});

test("a connection that drops mid-stream is tried again; the words of the lost stream are in no transcript", async () => {
  const { ask, trunkline } = await open(
    (_, call) => ({ text: call === 1 ? "lost words here" : "whole answer" }),
    [{ kind: "drop" }],
  );
  const outcome = await ask("hi");
  const history = JSON.stringify(await trunkline.callTool(main, "sessions_history", { sessionKey: "current" }));
  expect(history).not.toContain("lost words");
  if (outcome.status === "ok") expect(outcome.reply).toBe("whole answer");
  else expect(outcome.code).toBe("run_failed");
});

test("a line of the stream that is no JSON neither hangs the run nor reaches the transcript", async () => {
  const { ask, trunkline } = await open(() => ({ text: "the answer in two halves" }), [{ kind: "garbage" }]);
  const outcome = await ask("hi");
  expect(["ok", "error"]).toContain(outcome.status);
  expect(JSON.stringify(await trunkline.callTool(main, "sessions_history", { sessionKey: "current" }))).not.toContain(
    "broken",
  );
});

test("a tool call with invalid JSON gets an answer, and the model goes on", async () => {
  const { ask, trunkline } = await open((input, call) => {
    if (call > 1) return { text: input.includes("call-1") ? "recovered" : "lost the call" };
    return { toolCalls: [{ id: "call-1", name: "sessions_list", argumentsText: '{"limit": ' }] };
  });
  expect(await ask("list")).toMatchObject({ status: "ok", reply: "recovered" });
  const read = await trunkline.callTool(main, "sessions_history", { sessionKey: "current", includeTools: true });
  expect("messages" in read && read.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "toolResult",
    "assistant",
  ]);
});

test("a model that spawns, yields and is resumed answers once, through HTTP", async () => {
  const { ask } = await open((input) => {
    if (input.includes("Your sub-agents have finished")) return { text: "Three invoices are open." };
    if (input.includes("Your task is done")) return { text: "3" };
    if (input.includes("[Subagent Task]")) return { text: "3 open" };
    if (!input.includes('"s1"')) {
      return { toolCalls: [{ id: "s1", name: "sessions_spawn", argumentsText: '{"task":"count the open invoices"}' }] };
    }
    return { toolCalls: [{ id: "y1", name: "sessions_yield", argumentsText: "{}" }] };
  });
  expect(await ask("How many invoices are open?")).toEqual({ status: "ok", reply: "Three invoices are open." });
});

test("usage is summed over the calls of a run and shown in the status", async () => {
  const { ask, trunkline } = await open((_, call) =>
    call === 1 ? { toolCalls: [{ id: "1", name: "agents_list", argumentsText: "{}" }] } : { text: "done" },
  );
  await ask("who?");
  const status = await trunkline.callTool(main, "session_status", {});
  expect("details" in status && status.details.usage).toMatchObject({
    inputTokens: 20,
    outputTokens: 4,
    totalTokens: 24,
  });
});

test("a long transcript is summarised once: the summary replaces the older turns, nothing is removed, the log says so", async () => {
  const { ask, trunkline } = await open((input) => {
    if (input.includes("Summarise this conversation")) return { text: "They talked about number 1 to 12." };
    return {
      text: input.includes("They talked about") ? `summary seen ${"y".repeat(200)}` : `plain ${"y".repeat(200)}`,
    };
  });
  let reply = "";
  for (let turn = 1; turn <= 24; turn++) reply = (await ask(`number ${turn} ${"x".repeat(200)}`)).reply ?? "";
  expect(reply).toContain("summary seen");
  const read = await trunkline.callTool(main, "sessions_history", { sessionKey: "current", limit: 200 });
  const texts = "messages" in read ? read.messages.map(({ content }) => String(content)) : [];
  expect(texts.some((text) => text.startsWith("number 1 "))).toBe(true);
  expect(texts.filter((text) => text.startsWith("Summary of the conversation"))).not.toHaveLength(0);
  const status = await trunkline.callTool(main, "session_status", { changesSince: 0 });
  const kinds = "details" in status ? status.details.stateChanges?.events.map(({ kind }) => kind) : [];
  expect(kinds).toContain("compacted");
});
