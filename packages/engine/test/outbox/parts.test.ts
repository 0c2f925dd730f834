import { expect, test } from "vitest";
import { databaseFile } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { busy, failing, gone, main, onlyDelivery, openChat, say, unclear } from "./chat.ts";

const long = ["one ".repeat(20), "two ".repeat(20), "three ".repeat(15)].map((part) => part.trim()).join("\n\n");
const small = { maxTextLength: 100 } as const;

test("a text over the channel's limit goes in parts, each under its own key, in order; every part has a receipt", async () => {
  const h = await openChat(undefined, small);
  await say(h, long);
  await h.settle();
  const delivery = await onlyDelivery(h);
  const { sent } = h.channel("slack");
  expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual([1, 2, 3].map((n) => `${delivery.id}:${n}`));
  expect(sent.map(({ text }) => text).join("\n\n")).toBe(long.toUpperCase());
  for (const { text } of sent) expect(text.length).toBeLessThanOrEqual(100);
  expect(delivery).toMatchObject({ state: "delivered", partsTotal: 3, partsDone: 3 });
  expect(delivery.receipts).toEqual(["slack-1", "slack-2", "slack-3"]);
});

test("a part that failed is tried again with all that follow it; a part that was posted never is", async () => {
  let failed = false;
  const h = await openChat((attempt) => {
    if (attempt.idempotencyKey.endsWith(":2") && !failed) {
      failed = true;
      throw busy();
    }
    return undefined;
  }, small);
  await say(h, long);
  await h.settle();
  expect(await onlyDelivery(h)).toMatchObject({ state: "pending", partsDone: 1, receipts: ["slack-1"] });
  await h.advance(15_000);
  const { attempts, sent } = h.channel("slack");
  expect(attempts.map(({ idempotencyKey }) => idempotencyKey.slice(-2))).toEqual([":1", ":2", ":2", ":3"]);
  expect(sent.map(({ idempotencyKey }) => idempotencyKey.slice(-2))).toEqual([":1", ":2", ":3"]);
  expect(await findViolations(h.store)).toEqual([]);
});

test("the cuts are frozen at the first attempt: another limit later does not cut a half-sent text anew", async () => {
  const { open } = databaseFile();
  const first = await openChat(failing(1, busy), small, { store: await open() });
  await say(first, long);
  await first.settle();
  const before = await onlyDelivery(first);
  expect(before).toMatchObject({ state: "pending", partsTotal: 3 });
  await first.trunkline.stop();
  const second = await openChat(undefined, { maxTextLength: 4000 }, { store: await open(), clock: first.clock });
  await second.advance(15_000);
  expect(await onlyDelivery(second)).toMatchObject({ state: "delivered", parts: before.parts, partsTotal: 3 });
  expect(second.channel("slack").sent).toHaveLength(3);
});

test("an open outcome of a later part is unknown and tells how much is certain", async () => {
  const h = await openChat((attempt) => {
    if (attempt.idempotencyKey.endsWith(":3")) throw unclear();
    return undefined;
  }, small);
  await say(h, long);
  await h.settle();
  expect(await onlyDelivery(h)).toMatchObject({ state: "unknown", partsDone: 2, partsTotal: 3 });
  expect(h.channel("slack").attempts).toHaveLength(3);
});

test("a part that is refused for good ends the text there", async () => {
  const h = await openChat((attempt) => {
    if (attempt.idempotencyKey.endsWith(":2")) throw gone();
    return undefined;
  }, small);
  await say(h, long);
  await h.settle();
  expect(await onlyDelivery(h)).toMatchObject({ state: "failed", partsDone: 1 });
  expect(h.channel("slack").sent).toHaveLength(1);
  expect(await h.transcript(main)).toContainEqual(expect.stringContaining("system: The reply could not be posted"));
});

test("parts of two texts for one chat never interleave; another chat does not wait", async () => {
  const gates: (() => void)[] = [];
  const config = { session: { dmScope: "per-channel-peer" as const } };
  const h = await openChat(() => new Promise((resolve) => gates.push(() => resolve(undefined))), small, {
    config,
    script: { default: ({ prompt }) => prompt },
  });
  await say(h, long);
  await h.advance(0);
  await say(h, long.replaceAll("one", "ONE"));
  await say(h, "other chat", "U2");
  await h.advance(0);
  expect(h.channel("slack").attempts.map(({ route }) => route.to)).toEqual(["U1", "U2"]);
  for (let step = 0; step < 10; step++) {
    for (const open of gates.splice(0)) open();
    await h.advance(0);
  }
  const toFirst = h.channel("slack").sent.filter(({ route }) => route.to === "U1");
  const keys = toFirst.map(({ idempotencyKey }) => idempotencyKey.split(":")[0]);
  expect(keys).toHaveLength(6);
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(new Set(keys.slice(3)).size).toBe(1);
  expect(keys[0]).not.toBe(keys[5]);
});

test("texts for one chat arrive in the order in which they were made, also over two engines", async () => {
  const { open } = databaseFile();
  const posted: string[] = [];
  const record = ({ text }: { text: string }) => {
    posted.push(text);
    return undefined;
  };
  const first = await openChat(record, {}, { store: await open() });
  const second = await openChat(record, {}, { store: await open(), clock: first.clock });
  for (let index = 0; index < 12; index++) await say(index % 2 === 0 ? first : second, `text ${index}`);
  for (let step = 0; step < 100; step++) await first.advance(100);
  expect(posted).toEqual(Array.from({ length: 12 }, (_, index) => `TEXT ${index}`));
});
