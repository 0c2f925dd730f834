import { readFile, stat } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CommandContext, createCommandContext } from "../src/cli/command-context.ts";
import { readGlobalFlags } from "../src/cli/global-flags.ts";
import { readLocalSetup } from "../src/runtime/local-setup.ts";
import { type RunningGateway, startGateway } from "../src/runtime/start-gateway.ts";
import { collect, startProgram, temporaryFolder, waitForLine } from "./run-program.ts";

// Whole processes are started here, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: RunningGateway;
let token: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  gateway = await start(folder.path);
  token = gateway.facts.token ?? "";
});
afterAll(async () => {
  await gateway.stop();
  await folder[Symbol.asyncDispose]();
});

function start(directory: string): Promise<RunningGateway> {
  const context = contextIn(directory);
  return startGateway(context, readLocalSetup(context), { host: "127.0.0.1", port: 0 });
}

function contextIn(workingDirectory: string): CommandContext {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  return createCommandContext({ ...streams, environment: {}, workingDirectory }, readGlobalFlags({}, {}));
}

async function call(path: string, options: { body?: unknown; text?: string; token?: string; method?: string } = {}) {
  const authorization = options.token === "" ? undefined : `Bearer ${options.token ?? token}`;
  const response = await fetch(`${gateway.facts.url}${path}`, {
    method: options.method ?? "POST",
    ...(authorization === undefined ? {} : { headers: { authorization } }),
    ...(options.method === "GET" ? {} : { body: options.text ?? JSON.stringify(options.body ?? {}) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("health needs no token and says nothing but ok", async () => {
  expect(await call("/healthz", { method: "GET", token: "" })).toEqual({ status: 200, body: { ok: true } });
});

test("without the right bearer token every call is 401, and a token in the address does not count", async () => {
  const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  for (const [path, options] of [
    ["/v1/tools/agents_list", { token: "" }],
    ["/v1/tools/agents_list", { token: wrong }],
    ["/v1/tools/no_such_tool", { token: wrong }],
    [`/v1/tools/agents_list?token=${token}`, { token: "" }],
    ["/v1/messages", { token: "", body: { text: "hello" } }],
    ["/v1/tools", { token: "", method: "GET" }],
  ] as const) {
    const { status, body } = await call(path, options);
    expect({ status, body }).toEqual({
      status: 401,
      body: { error: { code: "unauthorized", message: expect.any(String) } },
    });
  }
});

test("a tool acts as the token's session and gives its result unchanged", async () => {
  expect(gateway.facts.sessionKey).toBe("agent:main:main");
  expect(await call("/v1/tools/agents_list")).toEqual({
    status: 200,
    body: { requester: "main", allowAny: false, agents: [{ id: "main", configured: true }] },
  });
  const { status, body } = await call("/v1/tools/session_status", { body: { sessionKey: "current" } });
  expect({ status, key: (body["details"] as { sessionKey: string }).sessionKey }).toEqual({
    status: 200,
    key: "agent:main:main",
  });
});

test("a refusal and an error of a tool are results: 200", async () => {
  const missing = await call("/v1/tools/sessions_history", { body: { sessionKey: "agent:other:main" } });
  expect(missing).toMatchObject({ status: 200, body: { status: "error", code: "not_found" } });
  const refused = await call("/v1/tools/sessions_spawn", { body: { task: "count", agentId: "other" } });
  expect(refused).toMatchObject({ status: 200, body: { status: "forbidden", code: "agent_not_allowed" } });
});

test("every tool of the session can be called, and the list names them", async () => {
  const { status, body } = await call("/v1/tools", { method: "GET" });
  const tools = body["tools"] as readonly { readonly name: string; readonly description: string }[];
  expect(status).toBe(200);
  expect(tools).toHaveLength(10);
  for (const { name } of tools) expect([200, 400]).toContain((await call(`/v1/tools/${name}`)).status);
});

test("an unknown tool and an unknown address are 404", async () => {
  expect(await call("/v1/tools/sessions_burn")).toEqual({
    status: 404,
    body: { error: { code: "not_found", message: 'there is no tool "sessions_burn"' } },
  });
  for (const path of ["/", "/v1/other", "/v1/tools/agents_list/more"]) expect((await call(path)).status).toBe(404);
});

test("wrong arguments are 400 with the path of the fault", async () => {
  expect(await call("/v1/tools/sessions_list", { body: { limit: "many" } })).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_input", path: "limit" } },
  });
  expect(await call("/v1/tools/sessions_list", { body: { limits: 5 } })).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_input", path: "limits", message: expect.stringContaining("limits") } },
  });
  for (const text of ["{not json", "[]", '"text"', "null,"]) {
    const { status, body } = await call("/v1/tools/sessions_list", { text });
    expect({ text, status }).toEqual({ text, status: 400 });
    expect(body).toMatchObject({ error: { code: "invalid_input" } });
  }
});

test("nobody chooses the acting session in the body", async () => {
  const { status, body } = await call("/v1/tools/sessions_list", {
    body: { caller: { sessionKey: "agent:other:main" } },
  });
  expect({ status, body }).toMatchObject({ status: 400, body: { error: { path: "caller" } } });
});

test("a message is admitted as a human's, once for each key", async () => {
  const first = await call("/v1/messages", { body: { text: "Good morning", idempotencyKey: "k1" } });
  expect(first).toEqual({ status: 202, body: { runId: expect.any(String), sessionKey: "agent:main:main" } });
  expect(await call("/v1/messages", { body: { text: "Good morning", idempotencyKey: "k1" } })).toEqual(first);
  expect(await call("/v1/messages", { body: { text: "Good evening", idempotencyKey: "k1" } })).toMatchObject({
    status: 409,
    body: { error: { code: "conflict", path: "idempotencyKey" } },
  });
  const { body } = await call("/v1/tools/sessions_history", { body: { sessionKey: "current" } });
  const messages = body["messages"] as readonly { readonly content: unknown; readonly provenance: unknown }[];
  expect(messages.filter(({ content }) => content === "Good morning")).toHaveLength(1);
  expect(messages.find(({ content }) => content === "Good morning")?.provenance).toMatchObject({ kind: "human" });
});

test("a message without text, or with a field nobody knows, is 400", async () => {
  expect(await call("/v1/messages", { body: {} })).toMatchObject({ status: 400, body: { error: { path: "text" } } });
  expect(await call("/v1/messages", { body: { text: " " } })).toMatchObject({
    status: 400,
    body: { error: { path: "text" } },
  });
  expect(await call("/v1/messages", { body: { text: "hello", sessionKey: "agent:other:main" } })).toMatchObject({
    status: 400,
    body: { error: { path: "sessionKey" } },
  });
});

test("a body over the limit is refused without being read", async () => {
  const { status, body } = await call("/v1/messages", { text: "x".repeat(25 * 1024 * 1024) });
  expect({ status, body }).toMatchObject({ status: 413, body: { error: { code: "too_large" } } });
});

test("a request that names another host is refused, with or without a token", async () => {
  const { port } = new URL(gateway.facts.url);
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path: "/healthz", headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject).end();
    });
  expect(await statusFor("evil.example")).toBe(403);
  expect(await statusFor(`evil.example:${port}`)).toBe(403);
  expect(await statusFor("127.0.0.1.evil.example")).toBe(403);
  expect(await statusFor(`localhost:${port}`)).toBe(200);
  expect(await statusFor(`[::1]:${port}`)).toBe(200);
});

test("the token is kept as a hash that only the owner may read, and holds over a restart", async () => {
  await using other = await temporaryFolder();
  const file = join(other.path, ".trunkline", "token.json");
  const first = await start(other.path);
  const made = first.facts.token ?? "";
  await first.stop();
  expect(made).toMatch(/^tl_[\w-]{43}$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "utf8")).not.toContain(made);
  const second = await start(other.path);
  const response = await fetch(`${second.facts.url}/v1/tools`, { headers: { authorization: `Bearer ${made}` } });
  await second.stop();
  expect({ token: second.facts.token, status: response.status }).toEqual({ token: undefined, status: 200 });
});

test("the program serves, prints its token once, and ends with 0 when it is told to stop", async () => {
  await using other = await temporaryFolder();
  const serve = async (signal: NodeJS.Signals) => {
    const child = startProgram(["serve", "--port", "0"], { directory: other.path });
    const ended = collect(child);
    const ready = await waitForLine(child, ({ type }) => type === "ready");
    const health = await fetch(`${String(ready["url"])}/healthz`);
    child.kill(signal);
    return { ready, health: health.status, ...(await ended) };
  };
  const first = await serve("SIGINT");
  expect(first).toMatchObject({ health: 200, exitCode: 0, ready: { sessionKey: "agent:main:main", hasModel: false } });
  expect(first.ready["token"]).toMatch(/^tl_/);
  expect(first.stderr).not.toContain(String(first.ready["token"]));
  const second = await serve("SIGTERM");
  expect(second).toMatchObject({ health: 200, exitCode: 0 });
  expect(second.stdout).not.toContain("tl_");
});
