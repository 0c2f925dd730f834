import { configuredAgentIds, isConfiguredAgent } from "../config/resolve-agent.ts";
import type { TrunklineConfig } from "../config/trunkline-config.ts";
import { allow, type Decision, refuse } from "./decision.ts";
import { matchesGlob } from "./matches-glob.ts";

/**
 * Whether sessions of two agents may reach each other under visibility `all`: the same agent always, else both ends
 * must be configured (without `tools.agentToAgent.allow`) or match an entry of it.
 */
export function agentToAgentDecision(config: TrunklineConfig, fromAgentId: string, toAgentId: string): Decision {
  if (fromAgentId === toAgentId) return allow("the same agent");
  const { enabled, allow: entries } = config.tools.agentToAgent;
  if (!enabled) {
    const trail = [{ step: "agent-to-agent", allowed: false, setting: "tools.agentToAgent.enabled", value: false }];
    return refuse(
      "forbidden",
      "agent_to_agent",
      `agent-to-agent access is off: agent "${toAgentId}" is out of reach`,
      trail,
    );
  }
  if (entries === undefined) return betweenConfiguredAgents(config, fromAgentId, toAgentId);

  const matches = (agentId: string) => entries.some((entry) => matchesGlob(entry, agentId));
  const allowed = matches(fromAgentId) && matches(toAgentId);
  const trail = [{ step: "agent-to-agent", allowed, setting: "tools.agentToAgent.allow", value: entries }];
  if (allowed) return allow("tools.agentToAgent.allow names both agents", trail);
  const reason = `agent-to-agent access is not open between agent "${fromAgentId}" and agent "${toAgentId}"`;
  return refuse("forbidden", "agent_to_agent", reason, trail);
}

/** Of the agents that are known, those whose sessions `agentId` reaches under visibility `all`, its own included. */
export function reachableAgentIds(
  config: TrunklineConfig,
  agentId: string,
  knownAgentIds: readonly string[] = configuredAgentIds(config),
): readonly string[] {
  const others = knownAgentIds.filter((other) => other !== agentId);
  return [agentId, ...others.filter((other) => agentToAgentDecision(config, agentId, other).allowed)];
}

function betweenConfiguredAgents(config: TrunklineConfig, fromAgentId: string, toAgentId: string): Decision {
  const setting = "tools.agentToAgent.enabled";
  const step = (allowed: boolean) => [{ step: "agent-to-agent", allowed, setting, value: true }];
  if (!isConfiguredAgent(config, toAgentId)) {
    return refuse("not_found", "not_found", `"${toAgentId}" is no configured agent`, step(false));
  }
  if (isConfiguredAgent(config, fromAgentId)) return allow("agent-to-agent access is on", step(true));
  const reason = `agent-to-agent access is open to configured agents, and "${fromAgentId}" is none`;
  return refuse("forbidden", "agent_to_agent", reason, step(false));
}
