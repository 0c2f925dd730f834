import type { z } from "zod";
import type { DeepReadonly } from "../config/trunkline-config.ts";
import { agentsListTool } from "./agents-list.ts";
import { sessionStatusTool } from "./session-status.ts";
import { sessionsTool } from "./sessions.ts";
import { sessionsHistoryTool } from "./sessions-history.ts";
import { sessionsListTool } from "./sessions-list.ts";
import { sessionsSearchTool } from "./sessions-search.ts";
import { sessionsSendTool } from "./sessions-send.ts";
import { sessionsSpawnTool } from "./sessions-spawn.ts";
import { sessionsYieldTool } from "./sessions-yield.ts";
import { subagentsTool } from "./subagents.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** Every tool by its name. */
export const toolTable = {
  sessions_list: sessionsListTool,
  sessions_history: sessionsHistoryTool,
  sessions_send: sessionsSendTool,
  sessions_spawn: sessionsSpawnTool,
  subagents: subagentsTool,
  sessions_yield: sessionsYieldTool,
  session_status: sessionStatusTool,
  agents_list: agentsListTool,
  sessions_search: sessionsSearchTool,
  sessions: sessionsTool,
} as const;

export type ToolName = keyof typeof toolTable;

/** What a caller may pass to a tool: numbers also as numeric strings, everything with a default left out. */
export type ToolArguments<Name extends ToolName> = DeepReadonly<z.input<(typeof toolTable)[Name]["inputSchema"]>>;

/** A tool's checked arguments, defaults applied. */
export type ToolInput<Name extends ToolName> = DeepReadonly<z.output<(typeof toolTable)[Name]["inputSchema"]>>;

/** Everything that a call of a tool resolves to. */
export type ToolResult<Name extends ToolName> = DeepReadonly<z.output<(typeof toolTable)[Name]["outputSchema"]>>;

/** Every tool, in the order in which models are offered them. */
export const toolDefinitions: readonly ToolDefinition<ToolName>[] = Object.values(toolTable);

/** The names of every tool, in the table's order. */
export const toolNames: readonly ToolName[] = toolDefinitions.map(({ name }) => name);

/** Whether a text is the name of a tool. */
export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolTable, name);
}
