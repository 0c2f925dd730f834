import type { RunState, StoreTransaction } from "@trunkline/core";
import { expect, test } from "vitest";
import type { FaultPoint } from "../../src/fault-points.ts";
import { begin, databaseFile, type HarnessOptions, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { type MortalProcess, mortalProcess, startMortal } from "../mortal-process.ts";
import { racingStore } from "../racing-store.ts";
import { createTestClock } from "../stores/store-traffic.ts";

const leaseMs = 15_000;
const main = "agent:a:main";

/** A harness whose process can be killed, by the test or at a fault point. */
async function openMortal(options: HarnessOptions & { readonly killAt?: FaultPoint } = {}) {
  const { killAt, ...rest } = options;
  const store = options.store ?? (await databaseFile().open());
  const clock = options.clock ?? createTestClock();
  const process: MortalProcess = mortalProcess(store, clock);
  const harness = await openHarness({
    ...rest,
    store: process.store,
    clock: process.clock,
    hooks: { faultPoint: (name) => (name === killAt ? process.kill() : undefined) },
    start: killAt === undefined,
  });
  if (killAt !== undefined) startMortal(harness.trunkline);
  return { process, harness, store, clock };
}

test("a run whose process died before the start is started by another process, once", async () => {
  const first = await openMortal({ killAt: "claim.after-commit", script: { default: "first" } });
  await first.harness.human(main, "hello");
  await first.clock.advance(0);
  const second = await openHarness({ store: first.store, clock: first.clock, script: { default: "second" } });
  await second.advance(0);
  expect(second.runner.requests).toHaveLength(0);

  await second.advance(leaseMs + 5_000);
  await second.settle();
  expect(first.harness.runner.requests).toHaveLength(0);
  expect(second.runner.requests.map(({ run }) => run.attempt)).toEqual([2]);
  expect(await second.transcript(main)).toEqual(["user: hello", "assistant: second"]);
  expect(await findViolations(first.store)).toEqual([]);
});

test("a run that three processes died over before its start is given up, and its chat is told", async () => {
  const chat = { channel: "telegram", peer: { kind: "direct", id: "7" }, text: "hello" } as const;
  const store = await databaseFile().open();
  const clock = createTestClock();
  let runId = "";
  for (let death = 0; death < 3; death++) {
    const { harness } = await openMortal({ killAt: "claim.after-commit", store, clock });
    if (death === 0) runId = (await harness.trunkline.receive(chat)).runId ?? "";
    await clock.advance(leaseMs + 5_000);
  }
  const last = await openHarness({ store, clock, channels: [{ channel: "telegram" }], script: { default: "late" } });
  await last.advance(leaseMs + 5_000);
  await last.settle();
  expect(last.runner.requests).toHaveLength(0);
  expect(await last.run(runId)).toMatchObject({ state: "interrupted", errorCode: "recovery_exhausted", attempts: 3 });
  expect(await last.trunkline.waitForRun(runId, { timeoutMs: 0 })).toMatchObject({ code: "recovery_exhausted" });
  expect(last.channel("telegram").sent.map(({ text }) => text)).toEqual([expect.stringContaining("interrupted")]);
  expect(await findViolations(store)).toEqual([]);
});

test("a run that had started is settled as interrupted; whoever waits is told, its chat too, and the next run goes on", async () => {
  const chat = { channel: "telegram", peer: { kind: "direct", id: "7" } } as const;
  const { harness, process, store, clock } = await openMortal({ script: { default: hang } });
  const started = await harness.trunkline.receive({ ...chat, text: "one" });
  const queued = await harness.trunkline.receive({ ...chat, text: "two" });
  await clock.advance(0);
  expect(harness.runner.requests).toHaveLength(1);
  process.kill();

  const second = await openHarness({
    store,
    clock,
    channels: [{ channel: "telegram" }],
    script: { default: ({ prompt }) => `about ${prompt}` },
  });
  const waiting = begin(second.trunkline.waitForRun(started.runId ?? "", { timeoutMs: 60_000 }));
  await clock.advance(leaseMs + 5_000);
  await second.settle();
  expect(await waiting.result()).toMatchObject({ status: "error", code: "run_interrupted" });
  expect(second.runner.requests.map(({ prompt }) => prompt)).toEqual(["two"]);
  expect((await second.run(queued.runId ?? "")).state).toBe("ok");
  expect(second.channel("telegram").sent.map(({ text }) => text)).toEqual([
    expect.stringContaining("interrupted"),
    "about two",
  ]);
  expect(await findViolations(store)).toEqual([]);
});

test("what a slow process says after it lost its lease is thrown away, and it joins again", async () => {
  const answered = Promise.withResolvers<string>();
  const slow = await openMortal({ script: { [`${main} inbound`]: () => answered.promise } });
  const { runId } = await slow.harness.human(main, "hello");
  await slow.clock.advance(0);
  slow.process.freeze();
  const other = await openHarness({ store: slow.store, clock: slow.clock });
  await slow.clock.advance(leaseMs + 5_000);
  expect((await other.run(runId)).state).toBe("interrupted");

  answered.resolve("too late");
  await slow.clock.advance(0);
  expect((await other.run(runId)).state).toBe("interrupted");
  expect(await other.transcript(main)).toEqual(["user: hello", expect.stringContaining("system:")]);
  expect(await findViolations(slow.store)).toEqual([]);

  slow.process.thaw();
  await slow.clock.advance(5_000);
  slow.harness.script({ [`${main} inbound`]: "back", default: "back" });
  await other.trunkline.stop();
  await slow.harness.human(main, "again");
  await slow.clock.advance(0);
  expect(await slow.harness.transcript(main)).toContain("assistant: back");
  expect(await findViolations(slow.store)).toEqual([]);
});

test("a process that was declared dead and does not know it yet claims nothing under its old name", async () => {
  const slow = await openMortal({ script: { default: "from the slow one" } });
  slow.process.freeze();
  const other = await openHarness({ store: slow.store, clock: slow.clock, script: { default: "from the other" } });
  await slow.clock.advance(leaseMs + 5_000);
  await other.trunkline.stop();

  const { runId } = await slow.harness.human(main, "hello");
  await slow.clock.advance(0);
  expect(slow.harness.runner.requests).toHaveLength(0);
  expect(await findViolations(slow.store)).toEqual([]);
  slow.process.thaw();
  await slow.clock.advance(5_000);
  expect((await slow.harness.run(runId)).state).toBe("ok");
  expect(await findViolations(slow.store)).toEqual([]);
});

test("a run that starts while its process is being taken over is settled as well", async () => {
  const file = databaseFile();
  const clock = createTestClock();
  const store = await file.open();
  const commits = (transaction: StoreTransaction, state: RunState) =>
    transaction.records?.some((record) => record.kind === "run" && "set" in record && record.set?.state === state);
  const [taken, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = await openMortal({
    clock,
    store: {
      ...store,
      async commit(transaction) {
        if (!commits(transaction, "running")) return store.commit(transaction);
        await taken.promise;
        return store.commit(transaction).finally(started.resolve);
      },
    },
    script: { default: hang },
  });
  const { runId } = await slow.harness.human(main, "hello");
  await clock.advance(0);
  slow.process.freeze();
  const other = await openHarness({
    clock,
    store: racingStore(store, async (transaction) => {
      if (!commits(transaction, "queued")) return;
      taken.resolve();
      await started.promise;
    }),
  });
  await clock.advance(leaseMs + 5_000);
  slow.process.kill();
  await clock.advance(5_000);
  expect(await other.run(runId)).toMatchObject({ state: "interrupted", errorCode: "run_interrupted" });
  expect(await findViolations(store)).toEqual([]);
});

test("a process that was declared dead and does not know it yet sends nothing under its old name", async () => {
  const chat = { channel: "telegram", peer: { kind: "direct", id: "7" }, text: "/status", isOwner: true } as const;
  const slow = await openMortal({ channels: [{ channel: "telegram" }] });
  slow.process.freeze();
  const other = await openHarness({ store: slow.store, clock: slow.clock });
  await slow.clock.advance(leaseMs + 5_000);
  await other.trunkline.stop();

  await slow.harness.trunkline.receive(chat);
  await slow.clock.advance(0);
  expect(slow.harness.channel("telegram").sent).toHaveLength(0);
  slow.process.thaw();
  await slow.clock.advance(5_000);
  expect(slow.harness.channel("telegram").sent).toHaveLength(1);
});
