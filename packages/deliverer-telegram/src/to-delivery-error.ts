import { DeliveryError } from "@trunkline/core";
import { GrammyError, HttpError } from "grammy";

/** Telegram's answer, or the lack of one, in the host's terms; the bot's token is part of a URL and never told. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof GrammyError) {
    const { error_code: status, parameters } = error;
    const code = `telegram_${status}`;
    if (status === 429) {
      const retryAfterMs = (parameters.retry_after ?? 1) * 1000;
      return new DeliveryError("retryable", "Telegram asks to wait", { code, retryAfterMs });
    }
    if (status >= 500) return new DeliveryError("retryable", `Telegram answered ${status}`, { code });
    return new DeliveryError("permanent", `Telegram refused: ${error.description}`, { code });
  }
  if (error instanceof HttpError && isRefused(error.error)) {
    return new DeliveryError("retryable", "Telegram could not be reached", { code: "telegram_unreachable" });
  }
  return new DeliveryError("ambiguous", "Telegram gave no answer", { code: "telegram_no_answer" });
}

/** The connection was never made, so nothing was sent. */
function isRefused(error: unknown): boolean {
  const codes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"];
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
