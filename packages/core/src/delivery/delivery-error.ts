/** Whether a failed send may be tried again: surely not sent, never will be, or nobody can know. */
export type DeliveryErrorClass = "retryable" | "permanent" | "ambiguous";

const marker: unique symbol = Symbol.for("trunkline.delivery-error") as never;

/** What a deliverer throws; `retryAfterMs` is the platform's own wait, `code` a short word for the outbox row. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly class: DeliveryErrorClass;
  readonly code: string;
  readonly retryAfterMs?: number;
  readonly [marker] = true;

  constructor(
    errorClass: DeliveryErrorClass,
    message: string,
    options: { readonly code?: string; readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.class = errorClass;
    this.code = options.code ?? errorClass;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }

  static isInstance(value: unknown): value is DeliveryError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
