import { DeliveryError, TrunklineError } from "@trunkline/core";

/** Why a part was not posted, and whether it may be tried again. */
export interface Failure {
  readonly class: "retryable" | "permanent" | "ambiguous";
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** An error that says whether it may be retried is believed; any other leaves open whether the text was posted. */
export function classifyFailure(error: unknown): Failure {
  if (DeliveryError.isInstance(error)) {
    const { retryAfterMs } = error;
    return { class: error.class, reason: error.code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (TrunklineError.isInstance(error))
    return { class: error.retryable ? "retryable" : "permanent", reason: error.code };
  return unclear(error instanceof Error ? error.name : "an unknown error");
}

export function unclear(reason: string): Failure {
  return { class: "ambiguous", reason };
}
