import { ownSetting } from "../config/own-setting.ts";
import type { ToolProfile } from "../config/tools-settings.ts";
import type { ToolPolicySettings, TrunklineConfig } from "../config/trunkline-config.ts";
import { parseSessionKey } from "../keys/session-key.ts";
import { type ToolName, toolNames } from "../tools/tool-table.ts";
import { matchesGlob } from "./matches-glob.ts";

/** The steps that decide about a tool, in their order. */
export type ToolLayerName = "profile" | "provider" | "global" | "agent" | "group" | "sandbox" | "sub-agent";

/** One step: it removes what it denies, and what it does not list when it has a list. */
export interface ToolLayer {
  readonly layer: ToolLayerName;
  /** Where the step is configured. */
  readonly setting: string;
  readonly denies: (name: ToolName) => boolean;
  readonly lists: (name: ToolName) => boolean;
}

/** The session whose tools are asked for. */
export interface ToolPolicyCaller {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly sandboxed: boolean;
  /** The effective model, `provider/name`; its provider's layer applies. */
  readonly model?: string;
  /** 0 or absent for a session that was not spawned. */
  readonly spawnDepth?: number;
}

interface ToolRules {
  readonly profile?: ToolProfile | undefined;
  readonly alsoAllow?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

const messaging: readonly ToolName[] = ["session_status", "sessions_list", "sessions_history", "sessions_send"];

const profiles: Readonly<Record<ToolProfile, readonly ToolName[]>> = {
  minimal: ["session_status"],
  messaging,
  coding: [...messaging, "sessions_spawn", "sessions_yield", "subagents", "agents_list", "sessions_search"],
  full: toolNames,
};

/** The layers that apply to a session, first to last, without the sub-agent one. */
export function toolLayers(config: TrunklineConfig, caller: ToolPolicyCaller): readonly ToolLayer[] {
  const { tools } = config;
  const index = config.agents.list.findIndex(({ id }) => id === caller.agentId);
  return [
    layerOf("profile", "tools.profile", { profile: tools.profile, alsoAllow: tools.alsoAllow }),
    ...providerLayers(config, caller.model),
    layerOf("global", "tools", { allow: tools.allow, deny: tools.deny }),
    layerOf("agent", `agents.list[${index}].tools`, config.agents.list[index]?.tools),
    ...groupLayers(config, caller.sessionKey),
    ...(caller.sandboxed ? [layerOf("sandbox", "tools.sandbox.tools", tools.sandbox.tools)] : []),
  ];
}

/** Whether a tool matches a list of names, globs and `group:sessions`. */
export function listsTool(list: readonly string[], name: ToolName): boolean {
  return list.some((entry) => entry.trim().toLowerCase() === "group:sessions" || matchesGlob(entry, name));
}

function providerLayers(config: TrunklineConfig, model: string | undefined): readonly ToolLayer[] {
  if (model === undefined) return [];
  const names = [model.toLowerCase(), model.split("/", 1).join("").toLowerCase()];
  return Object.entries(config.tools.byProvider)
    .filter(([provider]) => names.includes(provider.trim().toLowerCase()))
    .map(([provider, policy]) => layerOf("provider", `tools.byProvider.${provider}`, policy));
}

function groupLayers(config: TrunklineConfig, sessionKey: string): readonly ToolLayer[] {
  const parsed = parseSessionKey(sessionKey);
  if (parsed.shape !== "group" && parsed.shape !== "channel") return [];
  const groups = ownSetting(config.channels, parsed.channel)?.groups ?? {};
  const policy: ToolPolicySettings | undefined = ownSetting(groups, parsed.peerId)?.tools;
  return [layerOf("group", `channels.${parsed.channel}.groups.${parsed.peerId}.tools`, policy)];
}

function layerOf(layer: ToolLayerName, setting: string, rules: ToolRules = {}): ToolLayer {
  const { profile, alsoAllow = [], allow, deny = [] } = rules;
  return {
    layer,
    setting,
    denies: (name) => listsTool(deny, name),
    lists: (name) => {
      const inProfile = profile === undefined || profiles[profile].includes(name) || listsTool(alsoAllow, name);
      return inProfile && (allow === undefined || listsTool(allow, name));
    },
  };
}
