import { DeliveryError, type DeliveryErrorClass, defineDeliverer } from "@trunkline/core";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { readWebhook } from "./read-webhook.ts";

const settings = z.strictObject({
  /** Where texts are posted to. */
  url: z.url(),
  /** The signing secret, shared with the other side: `whsec_…` or base64. */
  secret: z.string().min(1),
});

/** Posts Standard Webhooks signed with a shared secret, and reads ones signed likewise. */
export const createWebhookDeliverer = defineDeliverer({
  channel: "webhook",
  config: settings,
  // The receiver gets the same `webhook-id` on each attempt and drops what it has seen, as the standard asks.
  capabilities: { maxTextLength: 100_000, idempotent: true },
  async send({ route, text }, { config, signal, idempotencyKey }) {
    const body = JSON.stringify({ type: "message", data: { ...route, text } });
    const at = new Date();
    const response = await post(config.url, body, signal, {
      "webhook-id": idempotencyKey,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(config.secret).sign(idempotencyKey, at, body),
    });
    if (!response.ok) throw refusal(response);
    const id = idOf(await response.text());
    return { messageIds: [id ?? idempotencyKey] };
  },
  parseInbound: (request, { config }) => readWebhook(request, config.secret),
});

async function post(
  url: string,
  body: string,
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      body,
      signal,
      headers: { "content-type": "application/json", ...headers },
    });
  } catch (error) {
    throw new DeliveryError("ambiguous", "the webhook gave no answer", { code: "webhook_no_answer", cause: error });
  }
}

function refusal({ status, headers }: Response): DeliveryError {
  const again = status === 429 || status === 408 || status >= 500;
  const errorClass: DeliveryErrorClass = again ? "retryable" : "permanent";
  const seconds = Number(headers.get("retry-after"));
  const wait = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {};
  return new DeliveryError(errorClass, `the webhook answered ${status}`, { code: `webhook_${status}`, ...wait });
}

/** The receiver may name its own id of the message; any other body is as good. */
function idOf(body: string): string | undefined {
  const parsed = z.object({ id: z.union([z.string().min(1), z.number()]) }).safeParse(parseJson(body));
  return parsed.success ? String(parsed.data.id) : undefined;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
