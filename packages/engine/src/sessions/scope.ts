import { effectiveVisibility, reachableAgentIds, type SessionScope } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { ResolvedCaller } from "./resolved-caller.ts";

/** The sessions that a caller may list and search; its own is always among them, as one of its agent's. */
export function scopeOf(engine: Engine, caller: ResolvedCaller): SessionScope {
  const { session } = caller;
  const own = { ids: [session.id] };
  const descendantsOf = { id: session.id, isRoot: session.spawnDepth === 0 };
  switch (effectiveVisibility(engine.config, caller).mode) {
    case "self":
      return own;
    case "tree":
      return { ...own, descendantsOf };
    case "agent":
      return { agentIds: [caller.agentId] };
    case "all":
      return { descendantsOf, agentIds: reachableAgentIds(engine.config, caller.agentId) };
  }
}
