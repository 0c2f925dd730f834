import { expect, test } from "vitest";
import { findViolations } from "../invariants/find-violations.ts";
import { busy, failing, gone, main, onlyDelivery, openChat, say, unclear } from "./chat.ts";

const minute = 60_000;

test("a reply is delivered once, with the receipt that the platform gave", async () => {
  const h = await openChat();
  await say(h, "hello");
  await h.settle();
  expect(h.channel("slack").attempts).toHaveLength(1);
  expect(await onlyDelivery(h)).toMatchObject({
    kind: "reply",
    state: "delivered",
    attempts: 1,
    partsTotal: 1,
    partsDone: 1,
    receipts: ["slack-1"],
    activeRoute: null,
    nextAttemptAt: null,
    endedAt: h.clock.now(),
  });
  expect(await findViolations(h.store)).toEqual([]);
});

test("scenario 39: a channel that is away twice gets one visible message, after 15 and 30 seconds, under the same key", async () => {
  const h = await openChat(failing(2, () => busy()));
  await say(h, "hello");
  await h.settle();
  const { attempts, sent } = h.channel("slack");
  expect(attempts).toHaveLength(1);
  expect(await onlyDelivery(h)).toMatchObject({ state: "pending", reason: "rate_limited", activeRoute: null });
  await h.advance(14_999);
  expect(attempts).toHaveLength(1);
  await h.advance(1);
  expect(attempts).toHaveLength(2);
  await h.advance(29_999);
  expect(attempts).toHaveLength(2);
  await h.advance(1);
  expect(sent).toHaveLength(1);
  expect(new Set(attempts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(await onlyDelivery(h)).toMatchObject({ state: "delivered", attempts: 3, reason: null });
});

test("the back-off doubles from 15 seconds to 5 minutes and ends after 30 minutes, as failed, with one notice", async () => {
  const times: number[] = [];
  const h = await openChat((attempt) => {
    times.push(attempt.attempt);
    throw busy();
  });
  await say(h, "hello");
  await h.settle();
  const start = h.clock.now();
  const at: number[] = [0];
  for (let seen = 1; h.clock.now() - start < 31 * minute; ) {
    await h.advance(1000);
    if (times.length > seen) at.push((h.clock.now() - start) / 1000);
    seen = times.length;
  }
  expect(at).toEqual([0, 15, 45, 105, 225, 465, 765, 1065, 1365, 1665]);
  expect(await onlyDelivery(h)).toMatchObject({ state: "failed", attempts: 10, reason: "rate_limited" });
  const notices = (await h.rows(main)).filter(({ provenance }) => provenance?.kind === "delivery_failed");
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatchObject({ role: "system" });
  expect(String(notices[0]?.body.content)).not.toContain("HELLO");
  expect(await findViolations(h.store)).toEqual([]);
});

test("B18: a channel that is away for ten minutes gets the text when it is back", async () => {
  const isAway = { value: true };
  const h = await openChat(() => {
    if (isAway.value) throw busy();
    return undefined;
  });
  await say(h, "hello");
  await h.advance(10 * minute);
  expect(h.channel("slack").sent).toEqual([]);
  isAway.value = false;
  await h.advance(5 * minute);
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["HELLO"]);
  expect(await onlyDelivery(h)).toMatchObject({ state: "delivered" });
});

test("the platform's own wait is kept when it is longer than the back-off, and not when it is shorter", async () => {
  const longer = await openChat(failing(1, () => busy(90_000)));
  await say(longer, "hello");
  await longer.advance(89_999);
  expect(longer.channel("slack").attempts).toHaveLength(1);
  await longer.advance(1);
  expect(longer.channel("slack").sent).toHaveLength(1);
  const shorter = await openChat(failing(1, () => busy(1000)));
  await say(shorter, "hello");
  await shorter.advance(14_999);
  expect(shorter.channel("slack").attempts).toHaveLength(1);
  await shorter.advance(1);
  expect(shorter.channel("slack").sent).toHaveLength(1);
});

test("a wait that would pass the thirty minutes fails at once", async () => {
  const h = await openChat(failing(1, () => busy(31 * minute)));
  await say(h, "hello");
  await h.settle();
  expect(await onlyDelivery(h)).toMatchObject({ state: "failed" });
});

test("scenario 39: a chat that does not exist is not tried again: failed, with one notice", async () => {
  const h = await openChat(failing(9, gone));
  await say(h, "hello");
  await h.settle();
  await h.advance(5 * minute);
  expect(h.channel("slack").attempts).toHaveLength(1);
  expect(await onlyDelivery(h)).toMatchObject({ state: "failed", reason: "chat_not_found", attempts: 1 });
  expect(await h.transcript(main)).toEqual([
    "user: hello",
    "assistant: HELLO",
    "system: The reply could not be posted to slack: chat_not_found. Its text is kept in the transcript.",
  ]);
});

test("an error that says it is ambiguous, or says nothing, leaves the outcome unknown: no second call, no notice", async () => {
  for (const error of [unclear, () => new Error("socket hang up"), () => "a string", () => undefined]) {
    const h = await openChat(failing(9, error));
    await say(h, "hello");
    await h.settle();
    await h.advance(5 * minute);
    expect(h.channel("slack").attempts).toHaveLength(1);
    expect(await onlyDelivery(h)).toMatchObject({ state: "unknown", attempts: 1, activeRoute: null });
    expect(await h.transcript(main)).toHaveLength(2);
  }
});

test("B23: an empty receipt is no receipt: unknown, not delivered", async () => {
  for (const receipt of [{ messageIds: [] }, {} as { messageIds: string[] }]) {
    const h = await openChat(() => receipt);
    await say(h, "hello");
    await h.settle();
    expect(await onlyDelivery(h)).toMatchObject({ state: "unknown", partsDone: 0, receipts: [] });
  }
});

test("no answer within thirty seconds is unknown; the request is aborted and a late answer changes nothing", async () => {
  const late = Promise.withResolvers<{ messageIds: string[] }>();
  let signal: AbortSignal | undefined;
  const h = await openChat((attempt) => {
    signal = attempt.signal;
    return late.promise;
  });
  await say(h, "hello");
  await h.advance(29_999);
  expect(await onlyDelivery(h)).toMatchObject({ state: "sending" });
  expect(signal?.aborted).toBe(false);
  await h.advance(1);
  expect(await onlyDelivery(h)).toMatchObject({ state: "unknown", reason: "no answer within 30 s" });
  expect(signal?.aborted).toBe(true);
  late.resolve({ messageIds: ["m1"] });
  await h.settle();
  expect(await onlyDelivery(h)).toMatchObject({ state: "unknown", receipts: [] });
});

test("B25: where the deliverer honours the key, an open outcome is tried again under the same key, and shows one message", async () => {
  let calls = 0;
  const h = await openChat(
    () => {
      calls++;
      return calls === 1 ? new Promise(() => undefined) : undefined;
    },
    { idempotent: true },
  );
  await say(h, "hello");
  await h.advance(30_000);
  expect(await onlyDelivery(h)).toMatchObject({ state: "pending" });
  await h.advance(15_000);
  const { attempts, sent } = h.channel("slack");
  expect(attempts).toHaveLength(2);
  expect(attempts[1]?.idempotencyKey).toBe(attempts[0]?.idempotencyKey);
  expect(sent).toHaveLength(1);
  expect(await onlyDelivery(h)).toMatchObject({ state: "delivered" });
});

test("an outcome that stays open to the end of the thirty minutes is unknown, not failed", async () => {
  const h = await openChat(failing(99, unclear), { idempotent: true });
  await say(h, "hello");
  await h.advance(31 * minute);
  expect(await onlyDelivery(h)).toMatchObject({ state: "unknown", attempts: 10 });
  expect(await h.transcript(main)).toHaveLength(2);
});
