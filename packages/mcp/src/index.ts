export { createMcpHandler, type McpHandler, type McpHandlerOptions } from "./create-mcp-handler.ts";
export { type McpStdio, type McpStdioOptions, serveMcpStdio } from "./serve-mcp-stdio.ts";
