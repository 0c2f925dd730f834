import {
  type Caller,
  effectiveTools,
  parseToolInput,
  parseToolName,
  type ToolDefinition,
  type ToolName,
  type ToolResult,
  toolDecision,
  toolTable,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { type ResolvedCaller, resolveCaller } from "../sessions/resolved-caller.ts";
import { toolCaller } from "./effective-tools.ts";
import { handlers } from "./handlers.ts";

/**
 * Calls a tool for a caller: checks the name, the caller, its effective list and the arguments, in this order.
 * Rejects with `ToolInputError` for wrong arguments or an unknown tool, `TrunklineError` for an impossible caller or a
 * store failure; everything expected is a result.
 */
export async function callTool(
  engine: Engine,
  caller: Caller,
  name: string,
  args: unknown,
): Promise<ToolResult<ToolName>> {
  const tool = parseToolName(name);
  const resolved = await resolveCaller(engine, caller, isRecord(args) ? args["sessionKey"] : undefined);
  return callResolved(engine, resolved, tool, args);
}

/** As `callTool`, for a caller that was resolved before. */
export async function callResolved(
  engine: Engine,
  caller: ResolvedCaller,
  tool: ToolName,
  args: unknown,
): Promise<ToolResult<ToolName>> {
  const decision = toolDecision(engine.config, toolCaller(engine, caller), tool);
  if (!decision.allowed) return { status: "forbidden", code: "tool_not_allowed", error: decision.reason };
  if (caller.run?.yieldMarked === 1) return afterYield;
  return handlers[tool](engine, caller, parseToolInput(tool, args));
}

/** The definitions of a caller's effective tools. */
export async function listTools(engine: Engine, caller: Caller): Promise<readonly ToolDefinition<ToolName>[]> {
  const resolved = await resolveCaller(engine, caller);
  return effectiveTools(engine.config, toolCaller(engine, resolved)).tools.map((name) => toolTable[name]);
}

function isRecord(args: unknown): args is Readonly<Record<string, unknown>> {
  return typeof args === "object" && args !== null;
}

const afterYield = {
  status: "forbidden",
  code: "tool_not_allowed",
  error: "this turn has yielded; it ends now and is resumed with the results",
} as const;
