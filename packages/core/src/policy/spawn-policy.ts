import { isSandboxedByConfig, resolveAgent } from "../config/resolve-agent.ts";
import type { TrunklineConfig } from "../config/trunkline-config.ts";
import { allow, type Decision, type DecisionStep, refuse } from "./decision.ts";
import { acpAgentIds, spawnableAgents } from "./spawn-agents.ts";

export interface SpawnRequest {
  readonly config: TrunklineConfig;
  readonly caller: { readonly agentId: string; readonly sandboxed: boolean; readonly spawnDepth: number };
  readonly request: {
    readonly agentId?: string | undefined;
    readonly runtime: "subagent" | "acp";
    readonly sandbox: "inherit" | "require";
    readonly context?: "isolated" | "fork" | undefined;
  };
}

/** The decision about a spawn, and the child it would make. */
export interface SpawnDecision extends Decision {
  /** The child's agent; for `acp` the external agent. */
  readonly agentId: string;
  /** Whether the child is sandboxed; to be stored with it, since it may hold more than its agent's own mode. */
  readonly sandboxed: boolean;
}

/**
 * Whether a session may spawn a child: depth, sandbox, runtime, allow-list, fork, in this order. Codes: `depth_limit`,
 * `sandbox`, `agent_not_allowed` (forbidden); `acp_unavailable`, `fork_unsupported` (error). Model and thinking level
 * are `modelDecision`'s and `thinkingDecision`'s; the number of children is reserved in the store.
 */
export function spawnDecision({ config, caller, request }: SpawnRequest): SpawnDecision {
  const agentId = childAgentId(config, caller.agentId, request);
  const inherited = caller.sandboxed && agentId === caller.agentId;
  const sandboxed = request.runtime === "subagent" && (inherited || isSandboxedByConfig(config, agentId, false));
  const checks = [
    () => depthDecision(config, caller),
    () => sandboxDecision(caller.sandboxed, request, agentId, sandboxed),
    () => (request.runtime === "acp" ? acpDecision(config, agentId) : agentDecision(config, caller.agentId, agentId)),
    () => forkDecision(request, caller.agentId, agentId),
  ];
  const trail: DecisionStep[] = [];
  for (const check of checks) {
    const decision = check();
    trail.push(...decision.trail);
    if (!decision.allowed) return { ...decision, trail, agentId, sandboxed };
  }
  return { ...allow("the child may be spawned", trail), agentId, sandboxed };
}

function childAgentId(config: TrunklineConfig, own: string, { agentId, runtime }: SpawnRequest["request"]): string {
  return agentId || (runtime === "acp" ? (config.acp.defaultAgent ?? "") : own);
}

function depthDecision(config: TrunklineConfig, caller: SpawnRequest["caller"]): Decision {
  const { maxSpawnDepth } = resolveAgent(config, caller.agentId).subagents;
  const allowed = caller.spawnDepth < maxSpawnDepth;
  const trail = [{ step: "spawn depth", allowed, setting: "subagents.maxSpawnDepth", value: maxSpawnDepth }];
  if (allowed) return allow("within the spawn depth", trail);
  const reason = `a session at spawn depth ${caller.spawnDepth} may not spawn: the limit is ${maxSpawnDepth}`;
  return refuse("forbidden", "depth_limit", reason, trail);
}

function sandboxDecision(
  callerSandboxed: boolean,
  { runtime, sandbox }: SpawnRequest["request"],
  agentId: string,
  childSandboxed: boolean,
): Decision {
  const needed = callerSandboxed || sandbox === "require";
  const allowed = !needed || childSandboxed;
  const trail = [{ step: "sandbox", allowed, setting: "sandbox.mode", value: childSandboxed }];
  if (allowed) return allow("the sandbox rules hold", trail);
  const child = runtime === "acp" ? "an acp child" : `a child of agent "${agentId}"`;
  const why = callerSandboxed ? "a sandboxed session spawns sandboxed children only" : 'sandbox is "require"';
  return refuse("forbidden", "sandbox", `${why}, and ${child} is not sandboxed`, trail);
}

function agentDecision(config: TrunklineConfig, own: string, agentId: string): Decision {
  const { agentIds } = spawnableAgents(config, own);
  const allowed = agentIds.includes(agentId);
  const trail = [{ step: "spawn allow-list", allowed, setting: "subagents.allowAgents", value: agentIds }];
  return allowed ? allow("an allowed agent", trail) : notAllowed(agentId, agentIds, trail);
}

function acpDecision(config: TrunklineConfig, agentId: string): Decision {
  const enabled = { step: "acp", allowed: config.acp.enabled, setting: "acp.enabled", value: config.acp.enabled };
  if (!config.acp.enabled) return refuse("error", "acp_unavailable", 'runtime "acp" is not enabled here', [enabled]);
  if (agentId === "") {
    return refuse("error", "acp_unavailable", 'runtime "acp" needs an agentId: there is no acp.defaultAgent', [
      enabled,
    ]);
  }
  const ids = acpAgentIds(config);
  const listed = { step: "acp allow-list", allowed: ids.includes(agentId), setting: "acp.allowedAgents", value: ids };
  const trail = [enabled, listed];
  return listed.allowed ? allow("an allowed external agent", trail) : notAllowed(agentId, ids, trail);
}

function notAllowed(agentId: string, allowed: readonly string[], trail: readonly DecisionStep[]): Decision {
  const ids = allowed.length === 0 ? "none" : allowed.join(", ");
  return refuse("forbidden", "agent_not_allowed", `agent "${agentId}" is not allowed here; allowed: ${ids}`, trail);
}

function forkDecision({ runtime, context }: SpawnRequest["request"], own: string, agentId: string): Decision {
  if (context !== "fork") return allow("no fork");
  const allowed = runtime === "subagent" && agentId === own;
  const trail = [{ step: "fork", allowed }];
  if (allowed) return allow("a fork of its own transcript", trail);
  return refuse("error", "fork_unsupported", 'context "fork" needs the same agent and runtime "subagent"', trail);
}
