import type { ResultCode } from "../tools/result-codes.ts";

/** One rule that was looked at: what it said, and the setting (with its value) that it follows. */
export interface DecisionStep {
  readonly step: string;
  readonly allowed: boolean;
  readonly setting?: string;
  readonly value?: unknown;
}

/**
 * How a refusal is told: `forbidden` follows from what was typed and from configuration, `not_found` hides whether
 * there is such a session, `error` is everything else.
 */
export type RefusalKind = "forbidden" | "not_found" | "error";

/** An answer with its reasons. `reason` names nothing that the caller did not type, except on `not_found`. */
export interface Decision {
  readonly allowed: boolean;
  /** Set on a refusal: the code of the result. */
  readonly code?: ResultCode;
  readonly refusal?: RefusalKind;
  readonly reason: string;
  readonly trail: readonly DecisionStep[];
}

/** A refusal as a tool returns it. */
export interface RefusalResult {
  readonly status: "forbidden" | "error";
  readonly code: ResultCode;
  readonly error: string;
}

/** An allowed decision. */
export function allow(reason: string, trail: readonly DecisionStep[] = []): Decision {
  return { allowed: true, reason, trail };
}

/** A refused decision; `not_found` always has the code `not_found`. */
export function refuse(
  refusal: RefusalKind,
  code: ResultCode,
  reason: string,
  trail: readonly DecisionStep[] = [],
): Decision {
  return { allowed: false, refusal, code: refusal === "not_found" ? "not_found" : code, reason, trail };
}

/** The one answer for a session that is hidden or missing; `typed` is what the caller wrote. */
export function notFoundResult(typed: string): RefusalResult {
  const shown = typed.length > 200 ? `${typed.slice(0, 200)}…` : typed;
  return {
    status: "error",
    code: "not_found",
    error: `no session that this session may reach matches "${shown.toWellFormed()}"; see them with sessions_list`,
  };
}

/** The tool result of a refusal; `typed` is how the caller named the target. */
export function refusalResult(decision: Decision, typed: string): RefusalResult {
  if (decision.refusal === "not_found" || decision.code === undefined) return notFoundResult(typed);
  const status = decision.refusal === "forbidden" ? "forbidden" : "error";
  return { status, code: decision.code, error: decision.reason };
}
