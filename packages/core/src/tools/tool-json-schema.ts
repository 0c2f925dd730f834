import { z } from "zod";
import { type ToolName, toolTable } from "./tool-table.ts";

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const inputSchemas = new Map<ToolName, JsonSchema>();

/** The JSON Schema of what a tool takes, for models and other protocols. */
export function toolJsonSchema(name: ToolName): JsonSchema {
  const known = inputSchemas.get(name);
  if (known !== undefined) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(toolTable[name].inputSchema, { io: "input" });
  inputSchemas.set(name, schema);
  return schema;
}

/** The JSON Schema of what a tool returns. */
export function toolResultJsonSchema(name: ToolName): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(toolTable[name].outputSchema, { io: "output" });
  return schema;
}
