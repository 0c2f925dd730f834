import type { ResultCode } from "../tools/result-codes.ts";

/** Codes of thrown errors: wrong input, or `area_reason`. Each is explained in `docs/errors.md`. */
export type TrunklineErrorCode =
  | "invalid_input"
  | "invalid_key"
  | "invalid_config"
  | "store_unavailable"
  | "store_busy"
  | "store_contended"
  | "store_too_large"
  | "store_not_migrated"
  | "store_schema_newer"
  | "store_outcome_unknown"
  | "gateway_port_taken"
  | "gateway_exposed"
  | "runner_model_unknown"
  | "runner_model_failed"
  | "runner_rate_limited";

const marker: unique symbol = Symbol.for("trunkline.error") as never;

export interface TrunklineErrorOptions {
  /** What to do about it, one sentence; shown as the second line by the command line program. */
  readonly fix?: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable?: boolean;
  /** Where in the input the fault lies, e.g. `session.mainKey` or `limit`. */
  readonly path?: string;
  readonly cause?: unknown;
}

/** The one base of every error that Trunkline throws; recognise it with `TrunklineError.isInstance`, never `instanceof`. */
export class TrunklineError extends Error {
  override readonly name: string = "TrunklineError";
  /** A thrown code; a refused message of a host has the code of its result instead, such as `send_denied`. */
  readonly code: TrunklineErrorCode | ResultCode;
  readonly retryable: boolean;
  readonly fix?: string;
  readonly path?: string;
  readonly [marker] = true;

  constructor(code: TrunklineErrorCode | ResultCode, message: string, options: TrunklineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    if (options.fix !== undefined) this.fix = options.fix;
    if (options.path !== undefined) this.path = options.path;
  }

  /** True for any TrunklineError, also one made by another copy of this package. */
  static isInstance(value: unknown): value is TrunklineError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
