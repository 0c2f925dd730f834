import { configuredAgentIds } from "../config/resolve-agent.ts";
import type { TrunklineConfig } from "../config/trunkline-config.ts";
import { reachableAgentIds } from "./agent-to-agent.ts";
import type { DecisionStep } from "./decision.ts";

/** What a caller reaches, from least to most: itself, its descendants, its agent, every agent. */
export const visibilityModes = ["self", "tree", "agent", "all"] as const;

export type VisibilityMode = (typeof visibilityModes)[number];

/** The mode that holds for a caller, and which settings made it so. */
export interface EffectiveVisibility {
  readonly mode: VisibilityMode;
  readonly trail: readonly DecisionStep[];
}

/** Why a listing may not hold every session. */
export interface VisibilityReport {
  readonly mode: VisibilityMode;
  readonly restricted: true;
  readonly warning: string;
}

/**
 * `tools.sessions.visibility`; for a sandboxed caller the lower of it and `tree`, unless
 * `agents.defaults.sandbox.sessionToolsVisibility` is `all`.
 */
export function effectiveVisibility(
  config: TrunklineConfig,
  caller: { readonly sandboxed: boolean },
): EffectiveVisibility {
  const configured = config.tools.sessions.visibility;
  const base = { step: "visibility", allowed: true, setting: "tools.sessions.visibility", value: configured };
  if (!caller.sandboxed) return { mode: configured, trail: [base] };

  const { sessionToolsVisibility } = config.agents.defaults.sandbox;
  const clamped = sessionToolsVisibility === "spawned" && visibilityModes.indexOf(configured) > 1;
  const sandbox = {
    step: "sandbox clamp",
    allowed: !clamped,
    setting: "agents.defaults.sandbox.sessionToolsVisibility",
    value: sessionToolsVisibility,
  };
  return { mode: clamped ? "tree" : configured, trail: [base, sandbox] };
}

/** What a listing says about its scope; `undefined` when it withholds nothing. */
export function visibilityReport(
  config: TrunklineConfig,
  caller: { readonly agentId: string; readonly sandboxed: boolean },
): VisibilityReport | undefined {
  const { mode } = effectiveVisibility(config, caller);
  if (mode !== "all") return { mode, restricted: true, warning: scopeWarning(mode, caller.sandboxed) };
  const reachable = reachableAgentIds(config, caller.agentId);
  if (configuredAgentIds(config).every((agentId) => reachable.includes(agentId))) return undefined;
  const warning =
    "Sessions of some agents are not included and not counted: agent-to-agent access does not reach every agent.";
  return { mode, restricted: true, warning };
}

function scopeWarning(mode: Exclude<VisibilityMode, "all">, sandboxed: boolean): string {
  const scope = {
    self: "only this session",
    tree: "this session and the sessions it spawned",
    agent: "the sessions of this agent",
  }[mode];
  const why = sandboxed && mode === "tree" ? " (the most that a sandboxed session sees)" : "";
  return `Visibility is "${mode}"${why}: ${scope} can be included; other sessions are neither listed nor counted.`;
}
