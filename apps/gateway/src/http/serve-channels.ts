import type { Deliverer, Logger } from "@trunkline/core";
import type { Trunkline } from "@trunkline/engine";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

const maxBodyBytes = 1024 * 1024;

/**
 * `POST /channels/{channel}`: a channel's own webhook. The deliverer verifies it by the vendor's signature or secret, so
 * it needs no token, and a proxy may pass it on under any host name.
 */
export function serveChannels(
  trunkline: Pick<Trunkline, "receive">,
  deliverers: readonly Deliverer[],
  logger: Logger,
): Hono {
  const app = new Hono();
  app.post("/:channel", bodyLimit({ maxSize: maxBodyBytes }), async (context) => {
    const deliverer = deliverers.find(({ channel }) => channel === context.req.param("channel"));
    if (deliverer?.parseInbound === undefined) return context.body(null, 404);
    const { messages, response } = await deliverer.parseInbound({
      method: context.req.method,
      path: context.req.path,
      headers: context.req.header(),
      body: await context.req.text(),
    });
    for (const message of messages) {
      const { runId, sessionKey } = await trunkline.receive({ channel: deliverer.channel, ...message });
      logger.debug({ channel: deliverer.channel, sessionKey, runId }, "a message came in");
    }
    return new Response(response?.body ?? null, { status: response?.status ?? 200, headers: response?.headers ?? {} });
  });
  return app;
}
