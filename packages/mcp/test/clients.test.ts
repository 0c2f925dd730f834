import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { toolNames } from "@trunkline/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bothWays, type McpEndpoint, startMcpEndpoint, tokens } from "./mcp-endpoint.ts";
import { generations, type OfficialClient } from "./official-clients.ts";

let endpoint: McpEndpoint;
beforeAll(async () => {
  endpoint = await startMcpEndpoint({ config: bothWays });
});
afterAll(() => endpoint[Symbol.asyncDispose]());

const asMain = { authorization: `Bearer ${tokens.main}` };

/** Arguments with which every tool does its work. */
const calls: Readonly<Record<string, Record<string, unknown>>> = {
  sessions_list: { limit: 5, messageLimit: 2, includeDerivedTitles: true },
  sessions_history: { sessionKey: "current", includeTools: true },
  sessions_send: { agentId: "editor", message: "Ready?", timeoutSeconds: 20 },
  sessions_spawn: { task: "Count to three." },
  subagents: { action: "wait", timeoutSeconds: 20 },
  sessions_yield: {},
  session_status: { changesSince: 0 },
  agents_list: {},
  sessions_search: { query: "Ready" },
  sessions: { action: "patch", sessionKey: "current", goal: "Answer" },
};

describe.each(generations)("$name", ({ connect }) => {
  let client: OfficialClient;
  beforeAll(async () => {
    client = await connect(endpoint.url, asMain);
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test("lists every tool with object schemas on both sides", async () => {
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(toolNames);
    for (const { inputSchema, outputSchema, description } of tools) {
      expect(inputSchema["type"]).toBe("object");
      expect(outputSchema?.["type"]).toBe("object");
      expect(description?.length).toBeGreaterThan(30);
    }
  });

  test("calls every tool, and the client's own validation accepts every result", async () => {
    const tools = await client.listTools();
    expect(Object.keys(calls).sort()).toEqual([...toolNames].sort());
    for (const { name } of tools) {
      const { structured, text, isError } = await client.callTool(name, calls[name]);
      expect(JSON.parse(text)).toEqual(structured);
      // Outside a run there is nothing to yield for.
      expect({ name, isError }).toEqual({ name, isError: name === "sessions_yield" });
    }
  });

  test("every result, refusals too, fits the schema that was listed", async () => {
    const validator = new AjvJsonSchemaValidator();
    const schemas = new Map((await client.listTools()).map(({ name, outputSchema }) => [name, outputSchema]));
    const results = [
      ["sessions_history", { sessionKey: "agent:editor:nowhere" }],
      ["sessions_send", { agentId: "nobody", message: "Hello" }],
      ["sessions_send", { sessionKey: "current", message: "Hello" }],
      ["sessions_spawn", { task: "Count", agentId: "nobody" }],
      ["sessions_list", { limit: "many" }],
      ["session_status", { model: " " }],
    ] as const;
    for (const [name, args] of results) {
      const { structured } = await client.callTool(name, { ...args });
      const validate = validator.getValidator(schemas.get(name) ?? { not: {} });
      expect({ name, ...validate(structured) }).toMatchObject({ name, valid: true });
      expect(validate({ ...structured, stray: 1 })).toMatchObject({ valid: false });
    }
  });

  test("a reply comes back as structured content", async () => {
    const { structured } = await client.callTool("sessions_send", { agentId: "editor", message: "Are you there?" });
    expect(structured).toMatchObject({ status: "ok", reply: expect.stringContaining("Are you there?") });
  });

  test("wrong arguments are a result that names the argument, not a protocol error", async () => {
    const { structured, isError } = await client.callTool("sessions_list", { limits: 5 });
    expect({ structured, isError }).toEqual({
      isError: true,
      structured: {
        status: "error",
        code: "invalid_input",
        path: "limits",
        error: expect.stringContaining('Did you mean "limit"?'),
      },
    });
  });

  test("refusals and errors of a tool are results with isError", async () => {
    const missing = await client.callTool("sessions_history", { sessionKey: "agent:editor:nowhere" });
    expect(missing).toMatchObject({ isError: true, structured: { status: "error", code: "not_found" } });
    const refused = await client.callTool("sessions_spawn", { task: "Count", agentId: "editor" });
    expect(refused).toMatchObject({ isError: true, structured: { status: "forbidden", code: "agent_not_allowed" } });
  });

  test("an unknown tool is the protocol's error", async () => {
    await expect(client.callTool("sessions_burn")).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('there is no tool "sessions_burn"'),
    });
  });
});

test("the current client speaks the current specification, and the same client an earlier one", async () => {
  const versions = [];
  for (const { connect } of generations.slice(0, 2)) {
    await using client = await connect(endpoint.url, asMain);
    versions.push(client.protocolVersion);
  }
  expect(versions).toEqual(["2026-07-28", "2025-11-25"]);
});

test("a client that leaves the choice to both sides gets the current specification", async () => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(endpoint.url, { requestInit: { headers: asMain } }));
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  await client.close();
});

const raw = async (body: unknown) => {
  const headers = { ...asMain, "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await fetch(endpoint.url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  const data = text === "" ? undefined : JSON.parse(/^data: (.*)$/mu.exec(text)?.[1] ?? text);
  return { status: response.status, data };
};

test("every earlier specification is answered in its own version", async () => {
  for (const protocolVersion of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const { data } = await raw({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    expect(data).toMatchObject({ result: { protocolVersion, serverInfo: { name: "trunkline" } } });
  }
});

test("calls of a wrong shape are errors of the protocol, and none disturbs the server", async () => {
  const call = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  for (const body of [
    call(undefined),
    call({}),
    call({ name: 5 }),
    call({ name: "agents_list", arguments: "text" }),
    call({ name: "agents_list", arguments: ["a"] }),
    call({ name: "__proto__" }),
    call({ name: "constructor", arguments: {} }),
    call({ name: "x".repeat(10_000) }),
    { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: 5 } },
    { jsonrpc: "2.0", id: 1, method: "no/such/method" },
  ]) {
    const { status, data } = await raw(body);
    expect({ body, status }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 500) });
    expect(data).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number), message: expect.any(String) } });
    expect(JSON.stringify(data).length).toBeLessThan(1000);
  }
});

test("no call has disturbed the server", () => {
  expect(endpoint.errors).toEqual([]);
});
