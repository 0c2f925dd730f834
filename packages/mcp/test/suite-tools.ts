import type { ToolDefinition, ToolHost } from "@trunkline/core";
import { z } from "zod";

const outputSchema = z.object({ status: z.string(), text: z.string() });
const definitions: readonly ToolDefinition[] = [
  ["test_simple_text", "Answers with a text."],
  ["test_error_handling", "Fails, always."],
  ["test_tool_with_progress", "Takes some time."],
  ["test_logging_tool", "Answers, and logs nothing to the client."],
].map(([name = "", description = ""]) => ({ name, description, inputSchema: z.strictObject({}), outputSchema }));

/** A host that has the tools which the conformance suite calls by name, beside those of another host. */
export function suiteTools(host: ToolHost): ToolHost {
  return {
    callTool: (caller: Parameters<ToolHost["callTool"]>[0], name: string, args: unknown): Promise<never> =>
      (definitions.some((tool) => tool.name === name)
        ? callSuiteTool(name)
        : host.callTool(caller, name, args)) as Promise<never>,
    listTools: async (caller) => [...(await host.listTools(caller)), ...definitions],
  };
}

async function callSuiteTool(name: string): Promise<z.output<typeof outputSchema>> {
  if (name === "test_tool_with_progress") await new Promise((resolve) => setTimeout(resolve, 300));
  return { status: name === "test_error_handling" ? "error" : "ok", text: `The answer of ${name}.` };
}
