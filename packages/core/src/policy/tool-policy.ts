import { resolveAgent } from "../config/resolve-agent.ts";
import type { TrunklineConfig } from "../config/trunkline-config.ts";
import { type ToolName, toolNames } from "../tools/tool-table.ts";
import { allow, type Decision, refuse } from "./decision.ts";
import { listsTool, type ToolLayerName, type ToolPolicyCaller, toolLayers } from "./tool-layers.ts";

/** The tools of a session, and the first layer that removed each of the others. */
export interface EffectiveTools {
  readonly tools: readonly ToolName[];
  readonly removed: readonly RemovedTool[];
}

export interface RemovedTool {
  readonly name: ToolName;
  readonly layer: ToolLayerName;
  /** Where the layer is configured. */
  readonly setting: string;
}

/** What a child above the leaf level gets by its role; only a deny takes it away. */
const roleTools: readonly ToolName[] = [
  "sessions_spawn",
  "sessions_yield",
  "subagents",
  "sessions_list",
  "sessions_history",
];

/** What `tools.subagents.tools.allow` may give back to a sub-agent. */
const restorableTools: readonly ToolName[] = ["session_status", "sessions_list", "sessions_history"];

/** The effective tool list of a session: each layer only narrows, except for the role of a spawning sub-agent. */
export function effectiveTools(config: TrunklineConfig, caller: ToolPolicyCaller): EffectiveTools {
  const removalOf = removalRule(config, caller);
  const verdicts = toolNames.map((name) => ({ name, removal: removalOf(name) }));
  return {
    tools: verdicts.filter(({ removal }) => removal === undefined).map(({ name }) => name),
    removed: verdicts.flatMap(({ name, removal }) => (removal === undefined ? [] : [{ name, ...removal }])),
  };
}

/** Whether a session may call a tool; refused with `tool_not_allowed`. */
export function toolDecision(config: TrunklineConfig, caller: ToolPolicyCaller, name: ToolName): Decision {
  const removal = removalRule(config, caller)(name);
  if (removal === undefined) {
    return allow(`${name} is among the session's tools`, [{ step: "tool policy", allowed: true }]);
  }
  const trail = [{ step: `tool policy: ${removal.layer}`, allowed: false, setting: removal.setting }];
  return refuse("forbidden", "tool_not_allowed", `the tool ${name} is not allowed for this session`, trail);
}

type Removal = Pick<RemovedTool, "layer" | "setting">;

function removalRule(config: TrunklineConfig, caller: ToolPolicyCaller): (name: ToolName) => Removal | undefined {
  const layers = toolLayers(config, caller);
  const depth = caller.spawnDepth ?? 0;
  const narrowing = (name: ToolName) => layers.find((layer) => layer.denies(name) || !layer.lists(name));
  if (depth === 0) return (name) => pick(narrowing(name));

  const { allow: restored = [], deny = [] } = config.tools.subagents.tools;
  const isLeaf = depth >= resolveAgent(config, caller.agentId).subagents.maxSpawnDepth;
  return (name) => {
    const byRole = !isLeaf && roleTools.includes(name);
    const earlier = byRole ? layers.find((layer) => layer.denies(name)) : narrowing(name);
    if (earlier !== undefined) return pick(earlier);
    const kept = byRole || (restorableTools.includes(name) && listsTool(restored, name));
    if (kept && !listsTool(deny, name)) return undefined;
    return { layer: "sub-agent", setting: "tools.subagents.tools" };
  };
}

function pick(layer: Removal | undefined): Removal | undefined {
  return layer && { layer: layer.layer, setting: layer.setting };
}
