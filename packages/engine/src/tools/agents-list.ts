import { agentsListResult, type ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";

/** `agents_list`: exactly the agents that `sessions_spawn` accepts from this caller. */
export async function agentsList(engine: Engine, caller: ResolvedCaller): Promise<ToolResult<"agents_list">> {
  return agentsListResult(engine.config, caller.agentId);
}
