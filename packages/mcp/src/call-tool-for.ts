import type { CallToolRequestParams, CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { type Caller, type ToolHost, ToolInputError } from "@trunkline/core";
import type { McpServerSettings } from "./server-settings.ts";
import { tellProgress } from "./tell-progress.ts";

/**
 * Calls a tool for a caller. The result is structured content, and the same JSON as text. Refusals and errors of the tool are
 * results with `isError`, wrong arguments too; an unknown tool and a store failure reject.
 */
export async function callToolFor(
  host: ToolHost,
  caller: Caller,
  { name, arguments: args }: CallToolRequestParams,
  context: ServerContext,
  settings: McpServerSettings,
): Promise<CallToolResult> {
  using _ = tellProgress(context, settings);
  try {
    return toolResult(await host.callTool(caller, name, args ?? {}));
  } catch (error) {
    if (!ToolInputError.isInstance(error) || error.path === "name") throw error;
    const { message, fix, path } = error;
    const text = fix === undefined ? message : `${message}. ${fix}`;
    return toolResult({ status: "error", code: "invalid_input", error: text, ...(path === undefined ? {} : { path }) });
  }
}

function toolResult(result: unknown): CallToolResult {
  const structuredContent = { ...Object(result) } as Record<string, unknown>;
  const { status } = structuredContent;
  return {
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent,
    ...(status === "error" || status === "forbidden" ? { isError: true } : {}),
  };
}
