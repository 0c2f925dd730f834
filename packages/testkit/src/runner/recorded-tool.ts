import { type RunTool, toolDefinitions } from "@trunkline/core";

/** A tool of the product whose calls are recorded and answered by the case. */
export function recordedTool(
  name: "sessions_list" | "session_status",
  answer: (args: unknown) => unknown,
): RunTool & { readonly calls: readonly unknown[] } {
  const definition = toolDefinitions.find((one) => one.name === name);
  if (!definition) throw new Error(`core has no tool ${name}`);
  const calls: unknown[] = [];
  return {
    name,
    description: definition.description,
    inputSchema: definition.inputSchema,
    calls,
    async call(args) {
      calls.push(args);
      return answer(args);
    },
  };
}
