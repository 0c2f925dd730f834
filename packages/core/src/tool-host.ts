import type { Caller } from "./session/session.ts";
import type { ToolDefinition } from "./tools/tool-definition.ts";
import type { ToolArguments, ToolName, ToolResult } from "./tools/tool-table.ts";

/** What a protocol face or a foreign agent loop needs of the engine: call a tool, list a caller's tools. */
export interface ToolHost {
  /** Resolves to the tool's result; rejects with `ToolInputError` (wrong arguments, unknown tool) or a store failure. */
  callTool<N extends ToolName>(caller: Caller, name: N, args: ToolArguments<N>): Promise<ToolResult<N>>;
  callTool(caller: Caller, name: string, args: unknown): Promise<unknown>;
  /** The caller's effective tools, after every policy layer. */
  listTools(caller: Caller): Promise<readonly ToolDefinition[]>;
}
