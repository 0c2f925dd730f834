import type { Logger, ToolHost } from "@trunkline/core";
import { createMcpHandler, type McpHandler } from "@trunkline/mcp";
import type { AccessToken } from "../auth/token-file.ts";
import { presentedToken } from "./presented-token.ts";

/** MCP for the gateway's token: whoever presents it acts as its session. */
export function serveMcp(host: ToolHost, access: AccessToken, listenHost: string, logger: Logger): McpHandler {
  return createMcpHandler(host, {
    authenticate(request) {
      const presented = presentedToken(request.headers.get("authorization"));
      return presented !== undefined && access.matches(presented) ? { sessionKey: access.sessionKey } : undefined;
    },
    allowedHosts: ["localhost", "127.0.0.1", "[::1]", listenHost],
    onError: (error) => logger.error({ err: error, path: "/mcp" }, "a request failed"),
    onRejected: (error) => logger.debug({ err: error, path: "/mcp" }, "a request was refused"),
  });
}
