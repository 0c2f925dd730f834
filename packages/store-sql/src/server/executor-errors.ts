import { TrunklineError } from "@trunkline/core";

export function closed(description: string): TrunklineError {
  return new TrunklineError("store_unavailable", `The store on ${description} was closed.`, {
    fix: "Open a new store; a closed one cannot be used again.",
  });
}

export function busy(description: string, cause: unknown): TrunklineError {
  return new TrunklineError("store_busy", `Other transactions on ${description} stayed in the way.`, {
    fix: "End the session that holds the lock, or try again later.",
    retryable: true,
    cause,
  });
}

/** The server cannot be used, for the reason that `cause` gives. */
export function storeUnavailable(description: string, cause: unknown, fix?: string): TrunklineError {
  const reason = cause instanceof Error && cause.message !== "" ? cause.message : String(cause);
  return new TrunklineError("store_unavailable", `${description} cannot be used: ${reason}.`, {
    fix: fix ?? "Check that the server runs and can be reached from here.",
    retryable: fix === undefined,
    cause,
  });
}

export function outcomeUnknown(description: string, cause: unknown): TrunklineError {
  return new TrunklineError(
    "store_outcome_unknown",
    `The connection to ${description} died during a commit, and it cannot be told whether the commit was kept.`,
    { fix: "Read again what it was to change before it is repeated.", retryable: true, cause },
  );
}
