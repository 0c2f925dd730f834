import { DeliveryError } from "@trunkline/core";
import { expect, test } from "vitest";
import { createRecordingDeliverer } from "../src/index.ts";

const route = { channel: "slack", to: "C1" };
const send = (deliverer: ReturnType<typeof createRecordingDeliverer>, text: string, idempotencyKey: string) =>
  deliverer.send({ route, text }, { idempotencyKey, signal: new AbortController().signal });

test("what the platform accepted is in sent, with ids that count up", async () => {
  const deliverer = createRecordingDeliverer({ channel: "slack" });
  expect(await send(deliverer, "one", "a")).toEqual({ messageIds: ["slack-1"] });
  expect(await send(deliverer, "two", "b")).toEqual({ messageIds: ["slack-2"] });
  expect(deliverer.sent).toEqual([
    { route, text: "one", idempotencyKey: "a" },
    { route, text: "two", idempotencyKey: "b" },
  ]);
  expect(deliverer.capabilities).toEqual({ maxTextLength: 100_000 });
});

test("a refused send is an attempt and was not sent", async () => {
  const deliverer = createRecordingDeliverer({
    channel: "slack",
    onSend: ({ attempt }) => {
      if (attempt === 1) throw new DeliveryError("retryable", "busy");
    },
  });
  await expect(send(deliverer, "one", "a")).rejects.toThrow("busy");
  expect(deliverer.sent).toEqual([]);
  await send(deliverer, "one", "a");
  expect(deliverer.sent).toHaveLength(1);
  expect(deliverer.attempts).toHaveLength(2);
});

test("a platform that honours the key shows a repeated send once; another shows it twice", async () => {
  const honest = createRecordingDeliverer({ channel: "slack", idempotent: true });
  const plain = createRecordingDeliverer({ channel: "slack" });
  for (const deliverer of [honest, plain]) {
    await send(deliverer, "one", "a");
    await send(deliverer, "one", "a");
  }
  expect(honest.sent).toHaveLength(1);
  expect(plain.sent).toHaveLength(2);
});

test("the receipt of onSend is used as it is", async () => {
  const deliverer = createRecordingDeliverer({ channel: "slack", onSend: () => ({ messageIds: [] }) });
  expect(await send(deliverer, "one", "a")).toEqual({ messageIds: [] });
});

test("threads are opened where they are declared, and only there", async () => {
  const threaded = createRecordingDeliverer({ channel: "slack", threads: true });
  const options = { idempotencyKey: "t", signal: new AbortController().signal };
  expect(await threaded.createThread?.({ route, title: "work" }, options)).toEqual({
    ...route,
    threadId: "slack-thread-1",
  });
  expect(threaded.threads).toEqual([{ route, title: "work" }]);
  expect(createRecordingDeliverer({ channel: "slack" }).createThread).toBeUndefined();
});
