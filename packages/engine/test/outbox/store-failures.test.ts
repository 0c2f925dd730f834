import type { StoreTransaction } from "@trunkline/core";
import { TrunklineError } from "@trunkline/core";
import { expect, test } from "vitest";
import { databaseFile, emptyStore } from "../harness.ts";
import { mortalProcess } from "../mortal-process.ts";
import { racingStore } from "../racing-store.ts";
import { busy, main, onlyDelivery, openChat, say } from "./chat.ts";

const away = () => new TrunklineError("store_unavailable", "the database went away", { retryable: true });

/** Whether a transaction writes this state, or these parts, of a delivery. */
function writes(transaction: StoreTransaction, column: "state" | "partsDone", value: unknown): boolean {
  return (
    transaction.records?.some(
      (record) => record.kind === "delivery" && "set" in record && record.set?.[column] === value,
    ) ?? false
  );
}

test("B26: a receipt that cannot be written is written later; the deliverer is not called again", async () => {
  let failures = 0;
  const store = racingStore(await emptyStore(), (transaction) => {
    if (writes(transaction, "state", "delivered") && failures < 3) {
      failures++;
      throw away();
    }
  });
  const h = await openChat(undefined, {}, { store });
  await say(h, "hello");
  await h.advance(0);
  expect(await onlyDelivery(h)).toMatchObject({ state: "sending" });
  await h.advance(5000);
  expect(failures).toBe(3);
  expect(h.channel("slack").attempts).toHaveLength(1);
  expect(await onlyDelivery(h)).toMatchObject({ state: "delivered", receipts: ["slack-1"] });
});

test("a refusal that cannot be written is written later, as what it was", async () => {
  let failed = false;
  const store = racingStore(await emptyStore(), (transaction) => {
    if (writes(transaction, "state", "pending") && !failed) {
      failed = true;
      throw away();
    }
  });
  let calls = 0;
  const h = await openChat(
    () => {
      calls++;
      if (calls === 1) throw busy();
      return undefined;
    },
    {},
    { store },
  );
  await say(h, "hello");
  await h.advance(20_000);
  expect(calls).toBe(2);
  expect(await onlyDelivery(h)).toMatchObject({ state: "delivered", attempts: 2 });
});

for (const idempotent of [false, true]) {
  test(`scenario 39: a process that dies after the platform took the text leaves ${idempotent ? "a repeat under the same key" : "an unknown outcome that nobody posts again"}`, async () => {
    const { open } = databaseFile();
    const store = await open();
    const first = await openChat(undefined, {}, { store, start: false });
    const mortal = mortalProcess(store, first.clock);
    const taken: string[] = [];
    const dying = await openChat(
      ({ idempotencyKey }) => {
        taken.push(idempotencyKey);
        mortal.kill();
        return undefined;
      },
      { idempotent },
      { store: mortal.store, clock: mortal.clock },
    );
    await say(dying, "hello");
    await first.advance(0);
    expect(taken).toHaveLength(1);
    const heir = await openChat(undefined, { idempotent }, { store: await open(), clock: first.clock });
    await heir.advance(60_000);
    const delivery = await onlyDelivery(heir);
    if (idempotent) {
      expect(delivery).toMatchObject({ state: "delivered", attempts: 2 });
      expect(heir.channel("slack").attempts.map(({ idempotencyKey }) => idempotencyKey)).toEqual(taken);
    } else {
      expect(delivery).toMatchObject({ state: "unknown", attempts: 1 });
      expect(heir.channel("slack").attempts).toEqual([]);
    }
    mortal.bury();
  });
}

test("a process that dies between two parts leaves the sent ones sent and the rest unknown", async () => {
  const { open } = databaseFile();
  const store = await open();
  const first = await openChat(undefined, {}, { store, start: false });
  const mortal = mortalProcess(store, first.clock);
  const dying = await openChat(
    undefined,
    { maxTextLength: 100 },
    {
      store: mortal.store,
      clock: mortal.clock,
      hooks: {
        faultPoint: (name) => {
          if (name === "delivery.between-parts") mortal.kill();
        },
      },
    },
  );
  await say(dying, "word ".repeat(60));
  await first.advance(0);
  const heir = await openChat(undefined, { maxTextLength: 100 }, { store: await open(), clock: first.clock });
  await heir.advance(60_000);
  expect(await onlyDelivery(heir)).toMatchObject({ state: "unknown", partsDone: 1 });
  expect(heir.channel("slack").attempts).toEqual([]);
  mortal.bury();
});

test("a process that was declared dead while it sent does not write over the attempt of another", async () => {
  const { open } = databaseFile();
  const store = await open();
  const release = Promise.withResolvers<undefined>();
  const idle = await openChat(undefined, {}, { store, start: false });
  const mortal = mortalProcess(store, idle.clock);
  const slow = await openChat(
    () => release.promise,
    { idempotent: true, maxTextLength: 100 },
    { store: mortal.store, clock: mortal.clock },
  );
  await say(slow, "word ".repeat(60));
  await idle.advance(0);
  mortal.freeze();
  const heir = await openChat(
    () => new Promise(() => undefined),
    { idempotent: true, maxTextLength: 100 },
    { store: await open(), clock: idle.clock },
  );
  await heir.advance(40_000);
  expect(await onlyDelivery(heir)).toMatchObject({ state: "sending", attempts: 2, partsDone: 0 });
  release.resolve(undefined);
  await heir.advance(100);
  expect(await onlyDelivery(heir)).toMatchObject({ state: "sending", attempts: 2, partsDone: 0 });
  expect(slow.channel("slack").attempts).toHaveLength(1);
  mortal.kill();
  mortal.bury();
});

test("a text that waited while no process ran is sent when one comes back, however late that is", async () => {
  const { open } = databaseFile();
  const first = await openChat(undefined, {}, { store: await open() });
  await say(first, "hello");
  await first.settle();
  const [sent] = await first.deliveries(main);
  await first.trunkline.stop();
  const { id } = await first.session(main);
  await first.store.commit({
    at: first.clock.now(),
    records: [
      {
        kind: "delivery",
        insert: {
          ...(sent ?? (await onlyDelivery(first))),
          id: "01a22f78-0000-7000-8000-000000000001",
          cause: "reply:another",
          sessionRow: id,
          state: "pending",
          attempts: 0,
          parts: null,
          partsTotal: 0,
          partsDone: 0,
          receipts: [],
          nextAttemptAt: first.clock.now(),
          endedAt: null,
        },
      },
    ],
  });
  await first.advance(3 * 3_600_000);
  const second = await openChat(undefined, {}, { store: await open(), clock: first.clock });
  await second.settle();
  expect(second.channel("slack").sent).toHaveLength(1);
});

test("an engine that stops gives a hanging request up: its outcome is unknown, and the signal fires", async () => {
  const { open } = databaseFile();
  let signal: AbortSignal | undefined;
  const h = await openChat(
    (attempt) => {
      signal = attempt.signal;
      return new Promise(() => undefined);
    },
    {},
    { store: await open() },
  );
  await say(h, "hello");
  await h.advance(0);
  await h.trunkline.stop({ drainMs: 10 });
  expect(signal?.aborted).toBe(true);
  const later = await openChat(undefined, {}, { store: await open(), clock: h.clock });
  await later.settle();
  expect(await onlyDelivery(later)).toMatchObject({ state: "unknown" });
});
