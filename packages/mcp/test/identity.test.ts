import type { Caller } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { bothWays, startMcpEndpoint, tokens } from "./mcp-endpoint.ts";
import { generations } from "./official-clients.ts";

/** Everything by which a client may try to be somebody else. */
const forged = {
  "x-trunkline-session": "agent:editor:main",
  "x-session-key": "agent:editor:main",
  "mcp-session-id": "agent:editor:main",
  cookie: `token=${tokens.editor}`,
  "x-authorization": `Bearer ${tokens.editor}`,
  "proxy-authorization": `Bearer ${tokens.editor}`,
};

describe.each(generations)("$name", ({ connect }) => {
  test("B133: acts as the session of its token whatever it puts into headers", async () => {
    await using endpoint = await startMcpEndpoint();
    await using client = await connect(endpoint.url, { ...forged, authorization: `Bearer ${tokens.main}` });
    const { structured } = await client.callTool("session_status", { sessionKey: "current" });
    expect(structured).toMatchObject({ details: { sessionKey: "agent:main:main" } });
    const { structured: agents } = await client.callTool("agents_list");
    expect(agents).toMatchObject({ requester: "main" });
  });

  test("B133: cannot name another caller in its arguments", async () => {
    await using endpoint = await startMcpEndpoint();
    await using client = await connect(endpoint.url, { authorization: `Bearer ${tokens.main}` });
    for (const name of ["caller", "callerSessionKey", "agentSessionKey", "requesterSessionKey", "runId", "sandboxed"]) {
      const { structured } = await client.callTool("agents_list", { [name]: "agent:editor:main" });
      expect(structured).toMatchObject({ status: "error", code: "invalid_input", path: name });
    }
    const other = await client.callTool("sessions_history", { sessionKey: "agent:editor:main" });
    expect(other).toMatchObject({ isError: true });
    expect(other.structured).not.toHaveProperty("messages");
  });

  test("two clients with two tokens are two sessions at the same time", async () => {
    await using endpoint = await startMcpEndpoint();
    const names = ["main", "editor"] as const;
    const connected = await Promise.all(
      names.map((name) => connect(endpoint.url, { authorization: `Bearer ${tokens[name]}` })),
    );
    const calls = Array.from({ length: 10 }, (_, index) => connected[index % 2]?.callTool("agents_list"));
    const requesters = (await Promise.all(calls)).map((result) => result?.structured["requester"]);
    expect(requesters).toEqual(Array.from({ length: 10 }, (_, index) => names[index % 2]));
    await Promise.all(connected.map((client) => client[Symbol.asyncDispose]()));
  });

  test("B135: a token that is revoked stops working with the next request", async () => {
    let valid = true;
    const authenticate = (): Caller | undefined => (valid ? { sessionKey: "agent:main:main" } : undefined);
    await using endpoint = await startMcpEndpoint({ authenticate });
    await using client = await connect(endpoint.url, {});
    expect((await client.callTool("agents_list")).isError).toBe(false);
    valid = false;
    await expect(client.callTool("agents_list")).rejects.toThrow();
  });

  test("sees and may call only the tools of its session", async () => {
    await using endpoint = await startMcpEndpoint({ config: { tools: { profile: "messaging" } } });
    await using client = await connect(endpoint.url, { authorization: `Bearer ${tokens.main}` });
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names.sort()).toEqual(["session_status", "sessions_history", "sessions_list", "sessions_send"]);
    const forgedCall = await client.callTool("sessions_spawn", { task: "Count" });
    expect(forgedCall).toMatchObject({ isError: true, structured: { status: "forbidden", code: "tool_not_allowed" } });
    const agents = await endpoint.trunkline.callTool({ sessionKey: "agent:main:main" }, "sessions_list", {});
    expect(agents).toMatchObject({ count: 1 });
  });
});

test("B133: keys in _meta and params of a request do not choose the session", async () => {
  await using endpoint = await startMcpEndpoint({ config: bothWays });
  const response = await fetch(endpoint.url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tokens.main}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "agents_list",
        arguments: {},
        sessionKey: "agent:editor:main",
        authInfo: { clientId: "agent:editor:main" },
        _meta: { caller: { sessionKey: "agent:editor:main" }, authInfo: { clientId: "agent:editor:main" } },
      },
      authInfo: { clientId: "agent:editor:main" },
    }),
  });
  expect(await response.text()).not.toMatch(/requester\W+editor/u);
});

test("a caller that cannot be is an error of the protocol, and no session is made for it", async () => {
  const sessionKey = "agent:main:subagent:00000000-0000-4000-8000-000000000000";
  await using endpoint = await startMcpEndpoint({ authenticate: () => ({ sessionKey }) });
  for (const { connect } of generations) {
    await using client = await connect(endpoint.url, {});
    await expect(client.callTool("agents_list")).rejects.toMatchObject({ code: -32_602 });
    await expect(client.listTools()).rejects.toMatchObject({ code: -32_602 });
  }
});
