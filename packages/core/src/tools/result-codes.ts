import { z } from "zod";

/** The codes that results carry, the command line program's included. */
export const resultCodes = [
  "invalid_input",
  "not_found",
  "ambiguous",
  "thread_target",
  "self_send",
  "archived",
  "busy",
  "conflict",
  "tool_not_allowed",
  "agent_scope",
  "agent_to_agent",
  "agent_not_allowed",
  "sandbox",
  "depth_limit",
  "children_limit",
  "invalid_model",
  "invalid_thinking",
  "thread_unsupported",
  "fork_unsupported",
  "acp_unavailable",
  "nothing_pending",
  "loop_detected",
  "reply_already_returned",
  "session_changed",
  "send_denied",
  "run_failed",
  "run_timeout",
  "run_cancelled",
  "run_interrupted",
  "recovery_exhausted",
  "too_large",
] as const;

export type ResultCode = (typeof resultCodes)[number];

export const resultCodeSchema = z.enum(resultCodes);

/** A refusal that follows from what was typed and from configuration alone. */
export const forbiddenResultSchema = z.strictObject({
  status: z.literal("forbidden"),
  code: resultCodeSchema,
  error: z.string(),
});

/** Everything else that went wrong; `path` names the argument of an input error. */
export const errorResultSchema = z.strictObject({
  status: z.literal("error"),
  code: resultCodeSchema,
  error: z.string(),
  path: z.exactOptional(z.string()),
});
