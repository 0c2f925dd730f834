import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as EarlierStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as EarlierHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { toolNames } from "@trunkline/core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createCommandContext } from "../src/cli/command-context.ts";
import { readGlobalFlags } from "../src/cli/global-flags.ts";
import { readLocalSetup } from "../src/runtime/local-setup.ts";
import { type RunningGateway, startGateway } from "../src/runtime/start-gateway.ts";
import { collect, runInProcess, runProgram, startProgram, temporaryFolder } from "./run-program.ts";

// Whole processes are started here, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const identity = { name: "trunkline-test", version: "1.0.0" };
const twoAgents = '{ agents: { list: [{ id: "main", default: true }, { id: "editor" }] } }';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: RunningGateway;
let url: URL;
let authorization: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, "trunkline.json5"), twoAgents);
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const surroundings = { ...streams, environment: {}, workingDirectory: folder.path };
  const context = createCommandContext(surroundings, readGlobalFlags({}, {}));
  gateway = await startGateway(context, readLocalSetup(context), { host: "127.0.0.1", port: 0 });
  url = new URL("/mcp", gateway.facts.url);
  authorization = `Bearer ${gateway.facts.token}`;
});
afterAll(async () => {
  await gateway.stop();
  await folder[Symbol.asyncDispose]();
});

function currentClient(pin?: string): Client {
  return new Client(identity, pin === undefined ? {} : { versionNegotiation: { mode: { pin } } });
}

/** Headers by which a client tries to be another session. */
const forged = { "x-trunkline-session": "agent:editor:main", "mcp-session-id": "agent:editor:main" };

test("the gateway serves MCP at /mcp to both generations of clients, as the token's session", async () => {
  for (const pin of ["2026-07-28", undefined]) {
    const client = currentClient(pin);
    const requestInit = { headers: { ...forged, authorization } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames);
    const { structuredContent } = await client.callTool({ name: "session_status", arguments: {} });
    expect(structuredContent).toMatchObject({ details: { sessionKey: "agent:main:main" } });
    await client.close();
  }
  const earlier = new EarlierClient(identity);
  const transport = new EarlierHttp(url, { requestInit: { headers: { ...forged, authorization } } });
  await earlier.connect(transport as Parameters<EarlierClient["connect"]>[0]);
  expect((await earlier.listTools()).tools.map(({ name }) => name)).toEqual(toolNames);
  const { structuredContent } = await earlier.callTool({ name: "agents_list", arguments: {} });
  expect(structuredContent).toMatchObject({ requester: "main" });
  await earlier.close();
});

test("without the token, with it in the address, from another page or by another name there is no MCP", async () => {
  const { port } = url;
  const post = (headers: Record<string, string>, query = "") =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port, path: `/mcp${query}`, method: "POST", headers: { ...headers } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on("error", reject).end("{}");
    });
  expect(await post({})).toBe(401);
  expect(await post({ authorization: `${authorization}x` })).toBe(401);
  expect(await post({}, `?token=${gateway.facts.token}`)).toBe(401);
  expect(await post({ authorization }, `?token=${gateway.facts.token}`)).toBe(401);
  expect(await post({ authorization, origin: "https://evil.example" })).toBe(403);
  expect(await post({ authorization, host: "evil.example" })).toBe(403);
});

test("a gateway that stops does not wait for a client that holds a stream open", async () => {
  await using own = await temporaryFolder();
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const surroundings = { ...streams, environment: {}, workingDirectory: own.path };
  const context = createCommandContext(surroundings, readGlobalFlags({}, {}));
  const stopping = await startGateway(context, readLocalSetup(context), { host: "127.0.0.1", port: 0 });
  const client = currentClient("2026-07-28");
  const requestInit = { headers: { authorization: `Bearer ${stopping.facts.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", stopping.facts.url), { requestInit }));
  const { closed } = await client.listen({ toolsListChanged: true });
  const startedAt = performance.now();
  await stopping.stop();
  // It would wait ten seconds for a request that runs.
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  await closed;
  await client.close();
});

const stdio = (directory: string, args: readonly string[] = []) => ({
  command: process.execPath,
  args: ["--conditions=trunkline-source", program, "mcp", ...args],
  cwd: directory,
  stderr: "ignore" as const,
});

test("trunkline mcp serves a client that starts it, on the current specification and an earlier one", async () => {
  await using own = await temporaryFolder();
  await writeFile(join(own.path, "trunkline.json5"), twoAgents);
  for (const pin of ["2026-07-28", undefined]) {
    const client = currentClient(pin);
    await client.connect(new StdioClientTransport(stdio(own.path)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames);
    const message = { sessionKey: "current", message: "Ready?", timeoutSeconds: 0 };
    const sent = await client.callTool({ name: "sessions_send", arguments: message });
    expect(sent.structuredContent).toMatchObject({ status: "accepted", sessionKey: "agent:main:main" });
    await client.close();
  }
});

test("trunkline mcp serves the generation of clients before, as the session that --as names", async () => {
  await using own = await temporaryFolder();
  await writeFile(join(own.path, "trunkline.json5"), twoAgents);
  const client = new EarlierClient(identity);
  await client.connect(new EarlierStdio(stdio(own.path, ["--as", "agent:editor:main"])));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames);
  const { structuredContent } = await client.callTool({ name: "agents_list", arguments: {} });
  expect(structuredContent).toMatchObject({ requester: "editor" });
  const { resources } = await client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(["agent:editor:main"]);
  await client.close();
});

test("trunkline mcp writes nothing but protocol to stdout, and ends with 0 when stdin closes or it is told to stop", async () => {
  await using own = await temporaryFolder();
  const ended = await runProgram(["mcp"], { directory: own.path });
  expect(ended).toMatchObject({ exitCode: 0, stdout: "" });
  expect(ended.stderr).toContain("serving MCP as agent:main:main until stdin closes");
  const child = startProgram(["mcp"], { directory: own.path });
  const all = collect(child);
  await new Promise<void>((resolve) => {
    child.stderr?.on("data", (text: string) => text.includes("serving MCP") && resolve());
  });
  child.kill("SIGTERM");
  expect(await all).toMatchObject({ exitCode: 0, stdout: "" });
});

test("trunkline mcp refuses a session that cannot be, and --url, before it serves", async () => {
  await using own = await temporaryFolder();
  for (const [args, message] of [
    [["--as", "not a key"], "not a key"],
    [["--as", "agent:main:subagent:00000000-0000-4000-8000-000000000000"], "does not exist"],
    [["--url", "http://127.0.0.1:1"], "a gateway serves MCP itself"],
  ] as const) {
    const { exitCode, stdout, stderr } = await runInProcess(["mcp", ...args], { directory: own.path });
    expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 2, stdout: "" });
    expect(stderr).toContain(message);
  }
});
