import { DeliveryError, defineDeliverer } from "@trunkline/core";
import { z } from "zod";

/** A deliverer for an invented platform with all capabilities, as an author would write it. */
export const createNoteDeliverer = defineDeliverer({
  channel: "note",
  config: z.object({ url: z.string(), token: z.string().min(1) }),
  capabilities: { maxTextLength: 500, threads: true, idempotent: true },
  async send({ route, text }, { config, signal, idempotencyKey }) {
    const answer = await post(
      config,
      "/send",
      { to: route.to, thread: route.threadId, text, key: idempotencyKey },
      signal,
    );
    return { messageIds: [String(answer["id"])] };
  },
  async createThread({ route, title }, { config, signal }) {
    const answer = await post(config, "/threads", { in: route.to, title }, signal);
    return { ...route, threadId: String(answer["id"]) };
  },
});

async function post(
  config: { readonly url: string; readonly token: string },
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${config.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${config.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  if (response.status === 429)
    throw new DeliveryError("retryable", "rate limited", {
      retryAfterMs: Number(response.headers.get("retry-after")) * 1000,
    });
  if (response.status >= 500) throw new DeliveryError("retryable", `status ${response.status}`);
  if (!response.ok) throw new DeliveryError("permanent", `status ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}
