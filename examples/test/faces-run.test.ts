import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTrunkline } from "@trunkline/engine";
import { createMcpHandler } from "@trunkline/mcp";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { expect, onTestFinished, test } from "vitest";
import { startChatServer } from "../../packages/runner-ai-sdk/test/openai-compatible-server.ts";

const run = promisify(execFile);

async function outputOf(example: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const script = join(import.meta.dirname, "..", example);
  const cwd = await mkdtemp(join(tmpdir(), "trunkline-example-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const env = { ...process.env, ...environment };
  return (await run(process.execPath, ["--conditions=trunkline-source", script], { cwd, env })).stdout;
}

/** A model that spawns two readers, yields, recommends, and then answers a foreign loop. */
function say(input: string) {
  const call = (id: string, name: string, args: object) => ({ id, name, argumentsText: JSON.stringify(args) });
  if (input.includes("Which sessions are busy?")) return { text: "None is busy." };
  if (input.includes("Your sub-agents have finished")) return { text: "Take draft B." };
  if (input.includes("Your task is done") || input.includes("[Subagent Task]")) return { text: "It is short." };
  if (input.includes('"s2"')) return { toolCalls: [call("y", "sessions_yield", {})] };
  const spawn = (id: string, draft: string) => call(id, "sessions_spawn", { task: `Read ${draft}` });
  return { toolCalls: [spawn("s1", "draft-a.md"), spawn("s2", "draft-b.md")] };
}

test("ai-sdk-app.ts prints the recommendation and the answer of its own loop", { timeout: 60_000 }, async () => {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const server = await startChatServer({
    answer: async (input) => ({ text: "", toolCalls: [], usage, ...say(input) }),
  });
  onTestFinished(() => server.close());
  const output = await outputOf("ai-sdk-app.ts", { OPENAI_BASE_URL: server.url });
  expect(output).toContain("reply: 'Take draft B.'");
  expect(output).toContain("None is busy.");
});

test("mcp-client.ts lists the tools and starts a sub-agent over MCP", { timeout: 60_000 }, async () => {
  const store = await createSqliteStore({ path: ":memory:" });
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner(() => "3"),
    deliverers: [],
    config: {},
  });
  const handle = createMcpHandler(trunkline, {
    authenticate: ({ headers }) =>
      headers.get("authorization") === "Bearer example" ? { sessionKey: "agent:main:main" } : undefined,
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
    const answer = await handle(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? "GET",
        headers,
        ...body,
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await store.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const output = await outputOf("mcp-client.ts", {
    TRUNKLINE_MCP_URL: `http://127.0.0.1:${port}/mcp`,
    TRUNKLINE_TOKEN: "example",
  });
  expect(output).toContain("sessions_spawn");
  expect(output).toContain("status: 'accepted'");
});
