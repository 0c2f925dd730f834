import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Caller, RunRequest, ToolHost } from "@trunkline/core";
import { createTrunkline, type Trunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { createMcpHandler, type McpHandlerOptions } from "../src/index.ts";

/** A running engine with two agents behind a real HTTP server on the loopback address. */
export interface McpEndpoint extends AsyncDisposable {
  readonly url: URL;
  readonly port: number;
  readonly trunkline: Trunkline;
  readonly errors: readonly unknown[];
  readonly requests: readonly Request[];
}

export interface McpEndpointOptions extends Partial<Omit<McpHandlerOptions, "authenticate">> {
  readonly config?: object;
  /** What agents answer; default `Heard: …`. */
  answer?(request: RunRequest): string | Promise<string>;
  authenticate?(request: Request): Caller | undefined;
  /** Puts more tools beside those of the engine. */
  beside?(host: ToolHost): ToolHost;
}

/** Made of parts, so that no scanner takes them for real ones. */
export const tokens = { main: ["tl", "main"].join("_"), editor: ["tl", "editor"].join("_") } as const;

const callers: ReadonlyMap<string, Caller> = new Map([
  [`Bearer ${tokens.main}`, { sessionKey: "agent:main:main" }],
  [`Bearer ${tokens.editor}`, { sessionKey: "agent:editor:main" }],
]);

export async function startMcpEndpoint(options: McpEndpointOptions = {}): Promise<McpEndpoint> {
  const { config, answer, authenticate, beside, ...handlerOptions } = options;
  const store = await createSqliteStore({ path: ":memory:" });
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner((request) => answer?.(request) ?? `Heard: ${request.prompt.split("\n").at(-1)}`),
    deliverers: [],
    config: { agents: { list: [{ id: "main", default: true }, { id: "editor" }] }, ...config },
  });
  await trunkline.start();
  const errors: unknown[] = [];
  const requests: Request[] = [];
  const handler = createMcpHandler(beside?.(trunkline) ?? trunkline, {
    ...handlerOptions,
    authenticate(request) {
      requests.push(request);
      return authenticate ? authenticate(request) : callers.get(request.headers.get("authorization") ?? "");
    },
    onError: (error) => errors.push(error),
  });
  const server = createAdaptorServer({ fetch: handler });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    port,
    trunkline,
    errors,
    requests,
    async [Symbol.asyncDispose]() {
      await handler.close();
      const closed = new Promise((resolve) => server.close(resolve));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
      await trunkline.stop({ drainMs: 100 });
      await store.close();
    },
  };
}

export const bothWays = {
  tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["main", "editor"] } },
} as const;
