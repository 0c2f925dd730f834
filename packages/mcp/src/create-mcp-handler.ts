import { type AuthInfo, createMcpHandler as createSdkHandler } from "@modelcontextprotocol/server";
import type { Caller, ToolHost } from "@trunkline/core";
import { createMcpServer } from "./create-mcp-server.ts";
import { errorResponse, unauthorized } from "./refusal-responses.ts";
import { loopbackHostnames, refuseAddress } from "./refuse-address.ts";

export interface McpHandlerOptions {
  /**
   * Who asks, from the request's credential alone; asked anew for each request. `undefined` answers 401. The caller that it
   * returns is the only identity there is: nothing in a body, an argument or another header changes it.
   */
  authenticate(request: Request): Caller | undefined | Promise<Caller | undefined>;
  /** Host names that a request may name, without port; default localhost, 127.0.0.1, [::1]. */
  readonly allowedHosts?: readonly string[];
  /** Host names of web pages that may ask, without scheme and port; default as `allowedHosts`. No `Origin` is fine. */
  readonly allowedOrigins?: readonly string[];
  /** How often a waiting call tells its progress, to a client that asked for it, in milliseconds; default 5000. */
  readonly progressIntervalMs?: number;
  /** The largest request body in bytes, over it 413; default 24 MiB. */
  readonly maxBodyBytes?: number;
  /** Told of what went wrong here; the client sees a bare internal error. */
  onError?(error: unknown): void;
  /** Told of what the protocol layer refused or could not deliver: faults of clients, lost connections. */
  onRejected?(error: Error): void;
}

/** A fetch-style handler; `close` ends the streams that are open, for a server that stops. */
export interface McpHandler {
  (request: Request): Promise<Response>;
  close(): Promise<void>;
}

// A text of 16 MiB may need more room as JSON.
const defaultMaxBodyBytes = 24 * 1024 * 1024;

/**
 * Serves the session tools over MCP's Streamable HTTP, stateless: the current specification, and clients of the earlier ones.
 * Before anything else a request with a foreign `Host` or `Origin` is refused (403), one with a credential in its address, or
 * without a valid one in its headers, too (401).
 */
export function createMcpHandler(trunkline: ToolHost, options: McpHandlerOptions): McpHandler {
  const allowedHosts = options.allowedHosts ?? loopbackHostnames;
  const allowedOrigins = options.allowedOrigins ?? allowedHosts;
  const onError = options.onError ?? (() => undefined);
  // What the SDK passes through is an object of ours and the key to the caller, so no client can write it.
  const callers = new WeakMap<AuthInfo, Caller>();
  const sdkHandler = createSdkHandler(
    ({ authInfo }) => {
      const caller = authInfo === undefined ? undefined : callers.get(authInfo);
      if (caller === undefined) throw new Error("a request reached the server without its caller");
      return createMcpServer(trunkline, caller, { onError, progressIntervalMs: options.progressIntervalMs });
    },
    {
      onerror: (error) => options.onRejected?.(error),
      maxRequestBodySize: options.maxBodyBytes ?? defaultMaxBodyBytes,
    },
  );
  const handle = async (request: Request): Promise<Response> => {
    const refused = refuseAddress(request, allowedHosts, allowedOrigins);
    if (refused !== undefined) return refused;
    try {
      const caller = await options.authenticate(request);
      if (caller === undefined) return unauthorized(request.headers.has("authorization"));
      const authInfo: AuthInfo = { token: "", clientId: caller.sessionKey, scopes: [] };
      callers.set(authInfo, caller);
      return await sdkHandler.fetch(request, { authInfo });
    } catch (error) {
      onError(error);
      return errorResponse(500, -32_603, "the server failed; its log says more");
    }
  };
  return Object.assign(handle, { close: () => sdkHandler.close() });
}
