import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { type ToolDefinition, toolDefinitions, toolJsonSchema, toolResultJsonSchema } from "@trunkline/core";

/** What a client may assume of a tool when it decides whether to ask its user. */
const annotations: Readonly<Record<string, ToolAnnotations>> = {
  sessions_list: { title: "List sessions", readOnlyHint: true },
  sessions_history: { title: "Read a transcript", readOnlyHint: true },
  sessions_send: { title: "Send to a session", destructiveHint: false },
  sessions_spawn: { title: "Start a sub-agent", destructiveHint: false },
  subagents: { title: "Sub-agents", destructiveHint: true },
  sessions_yield: { title: "Wait for sub-agents", destructiveHint: false },
  session_status: { title: "Session status", destructiveHint: false, idempotentHint: true },
  agents_list: { title: "List agents", readOnlyHint: true },
  sessions_search: { title: "Search transcripts", readOnlyHint: true },
  sessions: { title: "Change a session", destructiveHint: true },
};

const listed = new Map<string, Tool>(
  toolDefinitions.map(({ name, description }) => [
    name,
    {
      name,
      description,
      inputSchema: asObjectSchema(toolJsonSchema(name)),
      outputSchema: asObjectSchema(toolResultJsonSchema(name)),
      annotations: { openWorldHint: false, ...annotations[name] },
    },
  ]),
);

/** A tool as the protocol lists it. */
export function toListedTool({ name, description }: ToolDefinition): Tool {
  return listed.get(name) ?? { name, description, inputSchema: { type: "object" } };
}

/**
 * The protocol wants an object at the top, and clients of the 2025 specifications get anything else wrapped. Every result is
 * an object, so a union of objects says so beside its alternatives and means the same as before.
 */
function asObjectSchema(schema: Readonly<Record<string, unknown>>): Tool["inputSchema"] {
  return { ...schema, type: "object" };
}
