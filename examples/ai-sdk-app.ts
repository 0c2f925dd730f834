import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createTrunkline } from "@trunkline/engine";
import { createAiSdkRunner, toAiSdkTools } from "@trunkline/runner-ai-sdk";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { generateText, isStepCount } from "ai";

// Any OpenAI-compatible server: Ollama, vLLM, LM Studio, or a provider's own address.
const local = createOpenAICompatible({
  name: "local",
  baseURL: process.env["OPENAI_BASE_URL"] ?? "http://127.0.0.1:11434/v1",
});
const store = await createSqliteStore({ path: "trunkline.db" });
const config = {
  agents: { list: [{ id: "main", default: true, model: "local/llama3.2" }] },
  tools: { profile: "coding" },
};
const runners = createAiSdkRunner({ providers: { local } });
const trunkline = await createTrunkline({ store, runners, deliverers: [], config });
await trunkline.start();
trunkline.events.subscribe({ types: ["run_started", "run_ended"] }, (event) =>
  console.error(event.type, event.kind, event.sessionKey),
);

// The model has the session tools: it may spawn sub-agents, yield, and is resumed with their results.
const { runId } = await trunkline.submit({
  sessionKey: "agent:main:main",
  text: "Compare draft-a.md and draft-b.md with one sub-agent each, then recommend one.",
});
console.log(await trunkline.waitForRun(runId, { timeoutMs: 120_000 }));

// Or keep a loop of your own and borrow only the tools; they act as the session that you name here.
const tools = await toAiSdkTools(trunkline, { sessionKey: "agent:main:main" });
const model = local("llama3.2");
const { text } = await generateText({ model, tools, stopWhen: isStepCount(8), prompt: "Which sessions are busy?" });
console.log(text);

await trunkline.stop();
await store.close();
