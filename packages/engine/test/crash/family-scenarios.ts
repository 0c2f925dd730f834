import { type Scenario, useTool } from "./scenario.ts";

const main = "agent:a:main";
const chat = { channel: "telegram", peer: { kind: "direct", id: "7" } } as const;

const ask = async ({ trunkline, admitted }: Parameters<Scenario["begin"]>[0]): Promise<void> => {
  const { runId } = await trunkline.receive({ ...chat, text: "go", idempotencyKey: "go" });
  if (runId !== undefined) admitted("go", runId);
};
const messages = [{ sessionKey: main, text: "go" }];

/** Two children, a yield, one resume, and its answer posted. */
const family: Scenario = {
  begin: ask,
  async play(request) {
    if (request.run.kind !== "inbound") return { text: `text of ${request.run.kind}` };
    await useTool(request, "sessions_spawn", { task: "one" });
    await useTool(request, "sessions_spawn", { task: "two" });
    await useTool(request, "sessions_yield", { message: "waiting for two" });
    return {};
  },
  messages,
};

/** A child that ends while its own child works: continued once, then announced; the parent does not wait. */
const nested: Scenario = {
  config: { agents: { defaults: { subagents: { maxSpawnDepth: 2 } } } },
  begin: ask,
  async play(request) {
    const { kind } = request.run;
    const { spawnDepth } = request.session;
    if (kind === "inbound") await useTool(request, "sessions_spawn", { task: "middle" });
    if (kind === "child" && spawnDepth === 1) await useTool(request, "sessions_spawn", { task: "leaf" });
    if (kind === "child" && spawnDepth === 2) await new Promise((resolve) => setTimeout(resolve, 60));
    return { text: `text of ${kind} at ${spawnDepth}` };
  },
  messages,
};

/** A child that is removed when its result was posted. */
const cleanup: Scenario = {
  async begin({ trunkline, admitted }) {
    await ask({ trunkline, admitted, seen: async () => true });
    await trunkline.waitForIdle({ timeoutMs: 20_000 });
    const result = await trunkline.callTool({ sessionKey: main }, "sessions_spawn", {
      task: "short",
      cleanup: "delete",
      idempotencyKey: "short",
    });
    if (result.status === "accepted") admitted("short", result.runId);
  },
  play: ({ run }) => ({ text: `text of ${run.kind}` }),
  messages,
};

/** Three children, of which one runs and two wait for a place, when their parent is stopped. */
const cancel: Scenario = {
  config: { agents: { defaults: { subagents: { maxConcurrent: 1 } } } },
  async begin({ trunkline, admitted, seen }) {
    const { runId } = await trunkline.receive({ ...chat, text: "go", idempotencyKey: "go" });
    if (runId !== undefined) admitted("go", runId);
    const going = await seen(({ type, text }) => type === "run_output" && text === "spawned");
    if (going && runId !== undefined) await trunkline.abort({ runId });
  },
  async play(request) {
    if (request.run.kind === "inbound") {
      for (const task of ["one", "two", "three"]) await useTool(request, "sessions_spawn", { task });
      request.emit({ type: "text", text: "spawned" });
    }
    return new Promise((resolve, reject) => {
      setTimeout(() => resolve({ text: "nobody stopped me" }), 300);
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  },
  messages,
};

/** A child with a thread of its own. */
const thread: Scenario = {
  channel: { threads: true },
  begin: ask,
  async play(request) {
    if (request.run.kind === "inbound") await useTool(request, "sessions_spawn", { task: "talk", thread: true });
    return { text: `text of ${request.run.kind}` };
  },
  messages,
};

export const familyScenarios = { family, nested, cleanup, cancel, thread };
