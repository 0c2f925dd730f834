import type { ToolInput, ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { markYield } from "../yields/mark-yield.ts";

/** `sessions_yield`: ends the turn until the children that it spawned have ended. */
export async function sessionsYield(
  engine: Engine,
  caller: ResolvedCaller,
  input: ToolInput<"sessions_yield">,
): Promise<ToolResult<"sessions_yield">> {
  return markYield(engine, caller, input.message);
}
