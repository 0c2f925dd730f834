import { DeliveryError, defineDeliverer } from "@trunkline/core";
import { z } from "zod";

/** Posts to a pager service: one request, one message id. */
export const createPagerDeliverer = defineDeliverer({
  channel: "pager",
  config: z.object({ url: z.url(), token: z.string().min(1) }),
  capabilities: { maxTextLength: 480, idempotent: true },
  async send({ route, text }, { config, idempotencyKey, signal }) {
    const response = await fetch(config.url, {
      method: "POST",
      headers: { authorization: `Bearer ${config.token}`, "idempotency-key": idempotencyKey },
      body: JSON.stringify({ to: route.to, text }),
      signal,
    });
    if (response.status === 429 || response.status >= 500) {
      throw new DeliveryError("retryable", `The pager service answered ${response.status}`);
    }
    if (!response.ok) throw new DeliveryError("permanent", `The pager service answered ${response.status}`);
    const { id } = z.object({ id: z.string() }).parse(await response.json());
    return { messageIds: [id] };
  },
});
