/** What the program's exit codes mean; scripts branch on an error's `code`, the number is a convenience. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  waiting: 5,
  problems: 6,
  unavailable: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const usageCodes = new Set([
  ...["invalid_input", "invalid_key", "invalid_config", "ambiguous", "conflict", "thread_target", "self_send"],
  ...["invalid_model", "invalid_thinking", "session_changed", "too_large", "archived", "busy", "nothing_pending"],
  ...["gateway_exposed", "gateway_unauthorized"],
]);
const refusalCodes = new Set([
  ...["tool_not_allowed", "agent_scope", "agent_to_agent", "agent_not_allowed", "sandbox", "depth_limit"],
  ...["children_limit", "loop_detected", "reply_already_returned", "send_denied"],
]);
const unavailableCodes = new Set(["gateway_port_taken", "gateway_unreachable"]);

/** The exit code that belongs to the code of an error or a result. */
export function exitCodeFor(code: string): ExitCode {
  if (code === "not_found") return exitCodes.notFound;
  if (usageCodes.has(code)) return exitCodes.usage;
  if (refusalCodes.has(code)) return exitCodes.refused;
  if (unavailableCodes.has(code) || code.startsWith("store_")) return exitCodes.unavailable;
  return exitCodes.failed;
}

/** The exit code of a tool's result: refusals 4, a wait that ran out 5, errors by their code, everything else 0. */
export function exitCodeForResult(result: unknown): ExitCode {
  if (typeof result !== "object" || result === null || !("status" in result)) return exitCodes.done;
  if (result.status === "forbidden") return exitCodes.refused;
  if (result.status === "timeout") return exitCodes.waiting;
  if (result.status !== "error") return exitCodes.done;
  return exitCodeFor("code" in result && typeof result.code === "string" ? result.code : "");
}
