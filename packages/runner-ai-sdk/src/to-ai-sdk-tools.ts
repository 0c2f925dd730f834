import { type Caller, type ToolHost, ToolInputError } from "@trunkline/core";
import type { ToolSet } from "ai";
import { toToolSet } from "./run-tools.ts";

/**
 * A caller's effective session tools for your own AI SDK loop. The caller is fixed here, by your code; nothing that a
 * model writes can change it. Wrong arguments come back as `{status: "error", code: "invalid_input", error, path?}`.
 */
export async function toAiSdkTools(trunkline: ToolHost, caller: Caller): Promise<ToolSet> {
  const definitions = await trunkline.listTools(caller);
  return toToolSet(
    definitions.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
      call: (input) => callSafely(trunkline, caller, name, input),
    })),
  );
}

async function callSafely(trunkline: ToolHost, caller: Caller, name: string, input: unknown): Promise<unknown> {
  try {
    return await trunkline.callTool(caller, name, input);
  } catch (error) {
    if (!ToolInputError.isInstance(error)) throw error;
    const path = error.path === undefined ? {} : { path: error.path };
    return { status: "error", code: "invalid_input", error: error.message, ...path };
  }
}
