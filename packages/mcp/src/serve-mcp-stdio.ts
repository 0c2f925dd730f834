import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller, ToolHost } from "@trunkline/core";
import { createMcpServer } from "./create-mcp-server.ts";

export interface McpStdioOptions {
  /** The session that the client acts as; the process that starts the server decides. */
  readonly caller: Caller;
  /** Default: this process's stdin and stdout. Nothing else may write to the output. */
  readonly input?: Readable;
  readonly output?: Writable;
  /** How often a waiting call tells its progress, to a client that asked for it, in milliseconds; default 5000. */
  readonly progressIntervalMs?: number;
  /** Told of what went wrong here; the client sees a bare internal error. */
  onError?(error: unknown): void;
  /** Told of what the protocol layer refused or could not deliver. */
  onRejected?(error: Error): void;
}

/** A server on one pair of streams. */
export interface McpStdio {
  /** Resolves when the client has closed its end. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

// As over HTTP: a text of 16 MiB may need more room as JSON.
const maxBufferSize = 24 * 1024 * 1024;

/** Serves the session tools over MCP's stdio transport to one client, of the current specification or an earlier one. */
export function serveMcpStdio(trunkline: ToolHost, options: McpStdioOptions): McpStdio {
  const input = options.input ?? process.stdin;
  const output = options.output ?? process.stdout;
  const onError = options.onError ?? (() => undefined);
  const closed = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    output.once("error", () => resolve());
  });
  const settings = { onError, progressIntervalMs: options.progressIntervalMs };
  const handle = serveStdio(() => createMcpServer(trunkline, options.caller, settings), {
    transport: new StdioServerTransport(input, output, { maxBufferSize }),
    onerror: (error) => options.onRejected?.(error),
  });
  return { closed, close: () => handle.close() };
}
