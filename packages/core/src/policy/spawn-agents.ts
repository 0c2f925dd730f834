import { configuredAgentIds, resolveAgent } from "../config/resolve-agent.ts";
import type { TrunklineConfig } from "../config/trunkline-config.ts";
import type { ToolResult } from "../tools/tool-table.ts";

/** The agents that a spawn by `agentId` accepts: its own first, then the configured ones of its allow-list. */
export interface SpawnableAgents {
  /** The allow-list is `*`: every configured agent. */
  readonly allowAny: boolean;
  readonly agentIds: readonly string[];
}

/** The one resolver behind `agents_list` and `sessions_spawn`. */
export function spawnableAgents(config: TrunklineConfig, agentId: string): SpawnableAgents {
  const allowed = resolveAgent(config, agentId).subagents.allowAgents ?? [];
  const allowAny = allowed.includes("*");
  const others = configuredAgentIds(config).filter((id) => id !== agentId && (allowAny || allowed.includes(id)));
  return { allowAny, agentIds: [agentId, ...others] };
}

/** The result of `agents_list` for a session of `agentId`. */
export function agentsListResult(
  config: TrunklineConfig,
  agentId: string,
): Exclude<ToolResult<"agents_list">, { readonly status: string }> {
  const { allowAny, agentIds } = spawnableAgents(config, agentId);
  const agents = agentIds.map((id) => {
    const { name, model, configured } = resolveAgent(config, id);
    return { id, configured, ...(name === undefined ? {} : { name }), ...(model === undefined ? {} : { model }) };
  });
  return { requester: agentId, allowAny, agents };
}

/** The external agents that `runtime: "acp"` accepts. */
export function acpAgentIds(config: TrunklineConfig): readonly string[] {
  const { agents, allowedAgents } = config.acp;
  if (allowedAgents === undefined || allowedAgents.includes("*")) return Object.keys(agents);
  return allowedAgents;
}
