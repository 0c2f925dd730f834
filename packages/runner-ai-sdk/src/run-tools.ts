import type { RunTool } from "@trunkline/core";
import { type ToolSet, tool } from "ai";

/** A run's own tools for the SDK; wrong arguments reach the tool, which answers with what is wrong. */
export function toToolSet(tools: readonly RunTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, call }) => [
      name,
      tool({ description, inputSchema, execute: (input: unknown) => call(input) }),
    ]),
  );
}
