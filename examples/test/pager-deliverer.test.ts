import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { DeliveryError } from "@trunkline/core";
import { expect, test } from "vitest";
import { createPagerDeliverer } from "../pager-deliverer.ts";

const message = { route: { channel: "pager", to: "on-call" }, text: "The disk is full" };

async function sendTo(status: number): Promise<{ answer: unknown; headers: IncomingHttpHeaders }> {
  let headers: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    headers = request.headers;
    response.writeHead(status, { "content-type": "application/json" }).end('{"id":"p1"}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const pager = createPagerDeliverer({ url: `http://127.0.0.1:${port}/`, token: "example" });
    const options = { idempotencyKey: "delivery-1", signal: AbortSignal.timeout(5_000) };
    const answer = await pager.send(message, options).catch((error: unknown) => error);
    return { answer, headers };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a text is posted with its key and gives the service's id", async () => {
  const { answer, headers } = await sendTo(200);
  expect(answer).toEqual({ messageIds: ["p1"] });
  expect(headers["idempotency-key"]).toBe("delivery-1");
});

test("a full service may be asked again, a refusal may not", async () => {
  for (const [status, errorClass] of [
    [503, "retryable"],
    [403, "permanent"],
  ] as const) {
    const { answer } = await sendTo(status);
    expect(DeliveryError.isInstance(answer) && answer.class).toBe(errorClass);
  }
});
