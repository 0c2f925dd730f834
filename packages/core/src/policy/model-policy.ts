import { thinkingLevels } from "../config/names.ts";
import type { TrunklineConfig } from "../config/trunkline-config.ts";
import { allow, type Decision, refuse } from "./decision.ts";
import { matchesGlob } from "./matches-glob.ts";

/** Every model that the configuration names for an agent or for children. */
export function configuredModels(config: TrunklineConfig): readonly string[] {
  const { defaults, list } = config.agents;
  const names = [
    defaults.model,
    defaults.subagents.model,
    ...list.flatMap((agent) => [agent.model, agent.subagents?.model]),
  ];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/**
 * Whether a session may use a model; refused as an `error` with `invalid_model`. `known` is the runner's own answer
 * (`knowsModel`); without one, what is listed in `models.allow` or configured for an agent is known, and when nothing
 * is listed anywhere every non-blank name is.
 */
export function modelDecision(config: TrunklineConfig, model: string, known?: boolean): Decision {
  const name = model.trim();
  const { allow: allowed } = config.models;
  const configured = configuredModels(config);
  const listed = configured.includes(name) || (allowed ?? []).some((entry) => matchesGlob(entry, name));
  const anyListed = allowed !== undefined || configured.length > 0;

  const permitted = listed || allowed === undefined;
  const recognised = name !== "" && (known ?? (listed || !anyListed));
  const trail = [
    { step: "model allow-list", allowed: permitted, setting: "models.allow", value: allowed },
    { step: "model known", allowed: recognised },
  ];
  if (permitted && recognised) return allow("the model may be used", trail);
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  const usable = [...new Set([...(allowed ?? []), ...configured])].slice(0, 20);
  const hint = usable.length === 0 ? "" : `; models: ${usable.join(", ")}`;
  return refuse("error", "invalid_model", `"${shown.toWellFormed()}" is no model that may be used here${hint}`, trail);
}

/** Whether a thinking level exists; refused as an `error` with `invalid_thinking`, listing the levels. */
export function thinkingDecision(level: string): Decision {
  const allowed = thinkingLevels.some((known) => known === level);
  const trail = [{ step: "thinking level", allowed, value: thinkingLevels }];
  if (allowed) return allow("a thinking level", trail);
  return refuse("error", "invalid_thinking", `unknown thinking level; use one of ${thinkingLevels.join(", ")}`, trail);
}

/** Whether a `model` or `thinking` argument asks for the agent's own: blank, or `default`. */
export function asksForDefault(value: string | undefined): boolean {
  const text = value?.trim().toLowerCase() ?? "";
  return text === "" || text === "default";
}
