import type { TrunklineConfig } from "../config/trunkline-config.ts";
import type { SessionKind } from "../session/session.ts";
import { agentToAgentDecision } from "./agent-to-agent.ts";
import { allow, type Decision, type DecisionStep, refuse } from "./decision.ts";
import { effectiveVisibility, type VisibilityMode } from "./visibility.ts";

/** What a session wants to do with another: read it, send to it, or change it (`session_status` model, `sessions`). */
export type AccessAction = "read" | "send" | "change";

/** The session on whose behalf a tool acts. */
export interface AccessCaller {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly sandboxed: boolean;
}

/**
 * The resolved session, or what is known of a missing one: ask about a typed key that finds nothing as a session of
 * the key's agent that is neither `isSelf` nor `isDescendant`, so that hidden and missing get the same answer.
 */
export interface AccessTarget {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly kind?: SessionKind;
  readonly isSelf: boolean;
  /** Spawned by the caller, or by one of its descendants. */
  readonly isDescendant: boolean;
  /**
   * The caller typed the agent's id, alone or inside a key. Only then may a refusal speak of the agent; after a
   * `sessionId`, a label or a bare `cron:`, `hook:` or `node-` key it would tell whose session that is.
   */
  readonly agentTyped?: boolean;
}

export interface AccessRequest {
  readonly config: TrunklineConfig;
  readonly caller: AccessCaller;
  readonly action: AccessAction;
  readonly target: AccessTarget;
}

/** Whether a caller may read, send to or change a session; a refusal is `forbidden` or `not_found` (see `refusalResult`). */
export function authorize(request: AccessRequest): Decision {
  const { config, caller, action, target } = request;
  if (target.isSelf) return allow("its own session", [{ step: "own session", allowed: true }]);
  const { mode, trail } = effectiveVisibility(config, caller);
  const steps = [...trail, { step: "own session", allowed: false }];
  const reach = reachDecision(request, mode, steps);
  if (!reach.allowed || action !== "change") return reach;

  const descendant = { step: "change: own session and descendants only", allowed: target.isDescendant };
  if (target.isDescendant) return { ...reach, trail: [...reach.trail, descendant] };
  const reason = "a session changes only itself and the sessions it spawned";
  return refuse("not_found", "not_found", reason, [...reach.trail, descendant]);
}

/** Operations that some sessions are kept from, whoever asks. */
export type GuardedOperation = "reset" | "delete" | "archive";

/** Nobody resets or deletes the session whose run is calling, or archives or deletes a main session. */
export function operationDecision(
  operation: GuardedOperation,
  target: { readonly kind: SessionKind; readonly isCallingRun: boolean },
): Decision {
  if (target.kind === "main" && operation !== "reset") {
    const trail = [{ step: `${operation} of a main session`, allowed: false }];
    return refuse("forbidden", "tool_not_allowed", `a main session cannot be ${past[operation]}`, trail);
  }
  if (target.isCallingRun && operation !== "archive") {
    const trail = [{ step: `${operation} from its own run`, allowed: false }];
    return refuse("error", "busy", `a session cannot be ${past[operation]} by its own run`, trail);
  }
  return allow(`${operation} is possible`, [{ step: operation, allowed: true }]);
}

const past = { reset: "reset", delete: "deleted", archive: "archived" } as const;

function reachDecision(request: AccessRequest, mode: VisibilityMode, steps: readonly DecisionStep[]): Decision {
  const { config, caller, target } = request;
  const sameAgent = caller.agentId === target.agentId;
  if (mode === "self") return refuse("not_found", "not_found", "only its own session is visible", steps);
  if (mode === "agent") {
    const trail = [...steps, { step: "same agent", allowed: sameAgent }];
    if (sameAgent) return allow("a session of its agent", trail);
    const reason = `agent "${target.agentId}" is out of reach: this session sees the sessions of its own agent only`;
    return refuse(target.agentTyped ? "forbidden" : "not_found", "agent_scope", reason, trail);
  }
  const lineage = [...steps, { step: "descendant", allowed: target.isDescendant }];
  if (target.isDescendant) return allow("a session that it spawned", lineage);
  if (mode === "tree") return refuse("not_found", "not_found", "not its own session, nor one it spawned", lineage);

  const between = agentToAgentDecision(config, caller.agentId, target.agentId);
  const trail = [...lineage, { step: "same agent", allowed: sameAgent }, ...between.trail];
  if (between.allowed) return allow(between.reason, trail);
  const refusal = target.agentTyped && between.refusal === "forbidden" ? "forbidden" : "not_found";
  return refuse(refusal, "agent_to_agent", between.reason, trail);
}
