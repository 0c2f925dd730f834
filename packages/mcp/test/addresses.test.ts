import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type McpEndpoint, startMcpEndpoint, tokens } from "./mcp-endpoint.ts";

let endpoint: McpEndpoint;
beforeAll(async () => {
  endpoint = await startMcpEndpoint();
});
afterAll(() => endpoint[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** `fetch` sets Host and Origin itself; this sends them as given. */
function post(headers: Readonly<Record<string, string>>, path = "/mcp", body: unknown = initialize): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: endpoint.port,
      path,
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${tokens.main}`,
        ...headers,
      },
    };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

test("B137: a request that names another host is refused before its credential is looked at", async () => {
  const asked = endpoint.requests.length;
  for (const host of ["evil.example", `evil.example:${endpoint.port}`, "127.0.0.1.evil.example", "localhost.evil"]) {
    const { status, text } = await post({ host });
    expect({ host, status }).toEqual({ host, status: 403 });
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_000 } });
    expect(text).not.toContain("evil");
  }
  expect(endpoint.requests).toHaveLength(asked);
});

test("B137: the names of this machine are answered, with a port and without", async () => {
  for (const name of ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"]) {
    for (const host of [name, `${name}:${endpoint.port}`]) {
      expect({ host, status: (await post({ host })).status }).toEqual({ host, status: 200 });
    }
  }
});

test("B131: a page of another origin is refused, one of this machine and a program without Origin are not", async () => {
  for (const origin of ["https://evil.example", "http://localhost.evil.example", "null", "not an origin"]) {
    expect({ origin, status: (await post({ origin })).status }).toEqual({ origin, status: 403 });
  }
  expect((await post({ origin: `http://localhost:${endpoint.port}` })).status).toBe(200);
  expect((await post({})).status).toBe(200);
});

test("hosts and origins can be allowed by name, and then only those", async () => {
  await using named = await startMcpEndpoint({ allowedHosts: ["mcp.example"], allowedOrigins: ["app.example"] });
  const status = (host: string, origin?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${tokens.main}`,
        ...(origin === undefined ? {} : { origin }),
      };
      const options = { host: "127.0.0.1", port: named.port, path: "/mcp", method: "POST", headers };
      const sent = request(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject).end(JSON.stringify(initialize));
    });
  expect(await status("mcp.example", "https://app.example")).toBe(200);
  expect(await status("localhost")).toBe(403);
  expect(await status("mcp.example", "https://mcp.example")).toBe(403);
});

test("B132: a credential in the address is refused, even beside a valid one, and is repeated nowhere", async () => {
  for (const name of ["token", "access_token", "Token", "api_key"]) {
    for (const authorization of ["", `Bearer ${tokens.main}`]) {
      const answer = await post({ authorization }, `/mcp?${name}=${tokens.main}`);
      expect({ name, status: answer.status }).toEqual({ name, status: 401 });
      expect(JSON.stringify(answer)).not.toContain(tokens.main);
    }
  }
});

test("B136: without a credential, and with a wrong one, every method is 401 and says where it belongs", async () => {
  for (const authorization of ["", "Bearer wrong", tokens.main, `Basic ${tokens.main}`]) {
    const answer = await post({ authorization });
    expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
    expect(answer.headers["www-authenticate"]).toContain("Bearer");
  }
  for (const method of ["GET", "DELETE", "OPTIONS", "PUT"]) {
    expect({ method, status: (await fetch(endpoint.url, { method })).status }).toEqual({ method, status: 401 });
  }
});

test("what is no JSON, no MCP or too large is refused, and the server goes on", async () => {
  await using small = await startMcpEndpoint({ maxBodyBytes: 1000 });
  const headers = {
    authorization: `Bearer ${tokens.main}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const send = (body: string) => fetch(small.url, { method: "POST", headers, body });
  expect((await send("{not json")).status).toBe(400);
  expect((await send("[]")).status).toBe(400);
  expect((await send(JSON.stringify({ ...initialize, padding: "x".repeat(2000) }))).status).toBe(413);
  expect((await send(JSON.stringify(initialize))).status).toBe(200);
});

test("an authenticate that fails is an internal error that gives nothing away", async () => {
  await using failing = await startMcpEndpoint({
    authenticate() {
      throw new Error("the directory said no");
    },
  });
  const response = await fetch(failing.url, { method: "POST", body: "{}" });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("directory");
  expect(failing.errors).toEqual([expect.objectContaining({ message: "the directory said no" })]);
});
