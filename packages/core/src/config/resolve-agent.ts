import type { SandboxMode } from "./agents-settings.ts";
import type { ThinkingLevel } from "./names.ts";
import type { AgentSettings, DeepReadonly, TrunklineConfig } from "./trunkline-config.ts";

/** The sub-agent settings that hold for an agent's children, defaults included. */
export interface SubagentSettings {
  /** Unset: the own agent only. */
  readonly allowAgents?: readonly string[];
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly maxSpawnDepth: number;
  readonly maxChildrenPerAgent: number;
  /** Of the whole installation, not of the agent. */
  readonly maxConcurrent: number;
  /** 0 = no limit. */
  readonly runTimeoutSeconds: number;
  /** 0 = never. */
  readonly archiveAfterMinutes: number;
  readonly forkMaxTokens: number;
}

/** An agent with every default applied; also for an id that is not configured (`configured: false`). */
export interface ResolvedAgent {
  readonly id: string;
  readonly configured: boolean;
  readonly name?: string;
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly systemPrompt?: string;
  readonly runtime?: string;
  readonly sandboxMode: SandboxMode;
  readonly subagents: SubagentSettings;
}

/** The ids of `agents.list` in its order; without a list `["main"]`. */
export function configuredAgentIds(config: TrunklineConfig): readonly string[] {
  return config.agents.list.length === 0 ? ["main"] : config.agents.list.map(({ id }) => id);
}

/** Whether an agent id is configured. */
export function isConfiguredAgent(config: TrunklineConfig, agentId: string): boolean {
  return configuredAgentIds(config).includes(agentId);
}

/** The agent that owns whatever names none: the one marked `default`, else the first, else `main`. */
export function defaultAgentId(config: TrunklineConfig): string {
  const { list } = config.agents;
  return (list.find((agent) => agent.default === true) ?? list[0])?.id ?? "main";
}

// A configuration never changes, and every call of a tool asks for agents.
const resolved = new WeakMap<TrunklineConfig, Map<string, ResolvedAgent>>();

/** The settings that hold for an agent. */
export function resolveAgent(config: TrunklineConfig, agentId: string): ResolvedAgent {
  const known = resolved.get(config) ?? new Map<string, ResolvedAgent>();
  const agent = known.get(agentId) ?? withDefaults(config, agentId);
  if (agent.configured) resolved.set(config, known.set(agentId, agent));
  return agent;
}

function withDefaults(config: TrunklineConfig, agentId: string): ResolvedAgent {
  const own = ownSettings(config, agentId);
  const { defaults } = config.agents;
  return {
    id: agentId,
    configured: isConfiguredAgent(config, agentId),
    ...present({
      name: own?.name,
      model: own?.model ?? defaults.model,
      thinking: own?.thinking ?? defaults.thinking,
      systemPrompt: own?.systemPrompt,
      runtime: own?.runtime,
    }),
    sandboxMode: own?.sandbox?.mode ?? defaults.sandbox.mode,
    subagents: { ...present(defaults.subagents), ...present(own?.subagents ?? {}) },
  };
}

/** The sandbox mode of an agent. */
export function sandboxModeOf(config: TrunklineConfig, agentId: string): SandboxMode {
  return resolveAgent(config, agentId).sandboxMode;
}

/** Whether configuration alone sandboxes a session of an agent; a host may raise that, never lower it. */
export function isSandboxedByConfig(config: TrunklineConfig, agentId: string, isMainSession: boolean): boolean {
  const mode = sandboxModeOf(config, agentId);
  return mode === "all" || (mode === "non-main" && !isMainSession);
}

/** The model of an agent's session: its override, else the agent's; `""` and `default` are no override. */
export function effectiveModel(config: TrunklineConfig, agentId: string, override?: string): string | undefined {
  return chosen(override) ?? resolveAgent(config, agentId).model;
}

/** The thinking level of an agent's session: its override, else the agent's; `""` and `default` are no override. */
export function effectiveThinking(config: TrunklineConfig, agentId: string, override?: string): string | undefined {
  return chosen(override) ?? resolveAgent(config, agentId).thinking;
}

/** The model of a child of `agentId`: what was asked for, else the sub-agent setting, else the agent's. */
export function childModel(config: TrunklineConfig, agentId: string, requested?: string): string | undefined {
  const agent = resolveAgent(config, agentId);
  return chosen(requested) ?? agent.subagents.model ?? agent.model;
}

/** The thinking level of a child of `agentId`, chosen as `childModel` chooses. */
export function childThinking(config: TrunklineConfig, agentId: string, requested?: string): string | undefined {
  const agent = resolveAgent(config, agentId);
  return chosen(requested) ?? agent.subagents.thinking ?? agent.thinking;
}

function ownSettings(config: TrunklineConfig, agentId: string): AgentSettings | undefined {
  return config.agents.list.find(({ id }) => id === agentId);
}

function chosen(name: string | undefined): string | undefined {
  const text = name?.trim() ?? "";
  return text === "" || text.toLowerCase() === "default" ? undefined : text;
}

type Present<Value> = { [Name in keyof Value]: Exclude<Value[Name], undefined> };

function present<Value extends DeepReadonly<object>>(value: Value): Present<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Present<Value>;
}
