import type { RunTool } from "@trunkline/core";
import { jsonSchema, type ToolSet, tool } from "ai";
import { z } from "zod";

/** Tools for the SDK's loop, with the model's arguments untouched: the session tools check them and say what is wrong. */
export function toToolSet(tools: readonly RunTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, call }) => [
      name,
      tool({ description, inputSchema: inputOf(inputSchema), execute: (input: unknown) => call(input) }),
    ]),
  );
}

function inputOf(schema: z.ZodType) {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return jsonSchema<unknown>(json);
}
