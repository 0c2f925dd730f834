import { TrunklineError } from "@trunkline/core";
import { APICallError, RetryError } from "ai";

/** A provider's error as the engine records it: a status and a reason, never a request, a header or a key. */
export function modelFailure(error: unknown): unknown {
  if (error instanceof Error && error.name === "AbortError") return error;
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (!APICallError.isInstance(cause)) return wrap(cause);
  const status = cause.statusCode === undefined ? "gave no answer" : `answered ${cause.statusCode}`;
  const limited = cause.statusCode === 429;
  return new TrunklineError(limited ? "runner_rate_limited" : "runner_model_failed", `the model's provider ${status}`, {
    cause,
    retryable: cause.isRetryable,
    fix: cause.isRetryable
      ? "Try again later; the run itself has tried several times."
      : "Check the model's name and the provider's key and settings.",
  });
}

function wrap(cause: unknown): TrunklineError {
  if (TrunklineError.isInstance(cause)) return cause;
  const reason = cause instanceof Error ? cause.name : "an unknown error";
  return new TrunklineError("runner_model_failed", `the model call failed: ${reason}`, { cause });
}
