import { createFakePlatformServer } from "@trunkline/testkit";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { createWebhookDeliverer } from "../src/index.ts";

const secret = `whsec_${Buffer.from("an example secret, not a real one").toString("base64")}`;

test("what is posted verifies with the shared secret, and a second attempt carries the same webhook-id", async () => {
  const server = await createFakePlatformServer({ routes: { "POST /in": () => ({ status: 202 }) } });
  onTestFinished(() => server.close());
  const deliverer = createWebhookDeliverer({ url: `${server.url}/in`, secret });
  const options = { idempotencyKey: "delivery-1", signal: new AbortController().signal };
  const message = { route: { channel: "webhook", to: "desk", threadId: "9" }, text: "Hello" };
  expect(await deliverer.send(message, options)).toEqual({ messageIds: ["delivery-1"] });
  await deliverer.send(message, options);
  const [first, second] = server.requests;
  const verified = new Webhook(secret).verify(first?.body ?? "", { ...first?.headers });
  expect(verified).toEqual({ type: "message", data: { channel: "webhook", to: "desk", threadId: "9", text: "Hello" } });
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
});

function inbound(body: string, at = new Date(), signedBody = body) {
  const signature = new Webhook(secret).sign("in-1", at, signedBody);
  const headers = {
    "Webhook-Id": "in-1",
    "Webhook-Timestamp": String(Math.floor(at.getTime() / 1000)),
    "Webhook-Signature": signature,
  };
  return { method: "POST", path: "/channels/webhook", headers, body };
}

test("a signed message comes in with its id as idempotency key; a forged, stale or malformed one does not", async () => {
  const { parseInbound } = createWebhookDeliverer({ url: "http://127.0.0.1:1/in", secret });
  const body = JSON.stringify({
    type: "message",
    data: { peer: { kind: "direct", id: "ada" }, text: "hi", senderId: "ada" },
  });
  expect(await parseInbound?.(inbound(body))).toEqual({
    messages: [{ peer: { kind: "direct", id: "ada" }, text: "hi", senderId: "ada", idempotencyKey: "in-1" }],
    response: { status: 202 },
  });
  const forged = inbound(body.replace("hi", "hi!"), new Date(), body);
  expect(await parseInbound?.(forged)).toEqual({ messages: [], response: { status: 401 } });
  expect(await parseInbound?.(inbound(body, new Date(Date.now() - 3_600_000)))).toMatchObject({
    response: { status: 401 },
  });
  expect(await parseInbound?.(inbound('{"type":"other"}'))).toEqual({ messages: [], response: { status: 400 } });
});
