import { expect, test } from "vitest";
import { answerAfter, begin, databaseFile, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";
import { createTestClock } from "../stores/store-traffic.ts";

const main = "agent:a:main";
const chat = { channel: "telegram", peer: { kind: "direct", id: "7" } } as const;

test("stop lets what runs come to its end, and keeps its lease meanwhile", async () => {
  const store = await databaseFile().open();
  const clock = createTestClock();
  const harness = await openHarness({ store, clock, script: { default: answerAfter(clock, 40_000, "done") } });
  const { runId } = await harness.human(main, "hello");
  const { runId: second } = await harness.human(main, "more");
  await clock.advance(0);
  const other = await openHarness({ store, clock, script: { default: "from the other" } });
  const stopping = begin(harness.trunkline.stop({ drainMs: 60_000 }));
  await clock.advance(39_000);
  expect((await other.run(runId)).state).toBe("running");
  expect(stopping.done).toBe(false);
  await clock.advance(1_000);
  await stopping.result();
  expect((await other.run(runId)).state).toBe("ok");
  expect(await findViolations(store)).toEqual([]);
  await other.settle();
  expect((await other.run(second)).state).toBe("ok");
  expect(other.runner.requests).toHaveLength(1);
});

test("what still runs when the drain is over is interrupted, and its runner is told why", async () => {
  const reasons: unknown[] = [];
  const harness = await openHarness({
    script: {
      default: (request) => {
        request.signal.addEventListener("abort", () => reasons.push(String(request.signal.reason)));
        return hang(request);
      },
    },
  });
  const { runId } = await harness.human(main, "hello");
  await harness.clock.advance(0);
  await harness.trunkline.stop({ drainMs: 0 });
  expect(reasons).toEqual(["AbortError: stopping"]);
  expect(await harness.run(runId)).toMatchObject({ state: "interrupted", errorCode: "run_interrupted" });
  expect((await takeSnapshot(harness.store)).process).toEqual([]);
  expect(await findViolations(harness.store)).toEqual([]);
});

test("a runner that does not listen is not waited for, and what it says later is thrown away", async () => {
  const answer = Promise.withResolvers<string>();
  const harness = await openHarness({ script: { default: () => answer.promise } });
  const { runId } = await harness.human(main, "hello");
  await harness.clock.advance(0);
  await harness.trunkline.stop({ drainMs: 0 });
  answer.resolve("too late");
  await harness.clock.advance(0);
  expect((await harness.run(runId)).state).toBe("interrupted");
  expect(await harness.transcript(main)).not.toContain("assistant: too late");
  expect(await findViolations(harness.store)).toEqual([]);
});

test.each([
  ["is of unknown outcome", false, "unknown"],
  ["is tried again where its deliverer honours the key", true, "pending"],
] as const)("a text that is on its way when the process stops %s", async (_, idempotent, state) => {
  const harness = await openHarness({
    channels: [{ channel: "telegram", idempotent, onSend: () => new Promise(() => undefined) }],
    script: { default: "answer" },
  });
  const { sessionKey } = await harness.trunkline.receive({ ...chat, text: "hello" });
  await harness.clock.advance(0);
  expect((await harness.deliveries(sessionKey)).map((delivery) => delivery.state)).toEqual(["sending"]);
  await harness.trunkline.stop({ drainMs: 0 });
  expect((await harness.deliveries(sessionKey)).map((delivery) => delivery.state)).toEqual([state]);
  expect(await findViolations(harness.store)).toEqual([]);
});

test("messages are accepted before start and after stop, and run at the next start", async () => {
  const harness = await openHarness({ script: { default: "answer" }, start: false });
  const first = await harness.human(main, "before");
  await harness.clock.advance(10_000);
  expect(harness.runner.requests).toHaveLength(0);
  await harness.trunkline.start();
  await harness.settle();
  expect((await harness.run(first.runId)).state).toBe("ok");
  await harness.trunkline.stop();
  const second = await harness.human(main, "after");
  await harness.clock.advance(10_000);
  expect((await harness.run(second.runId)).state).toBe("queued");
  await harness.trunkline.start();
  await harness.settle();
  expect((await harness.run(second.runId)).state).toBe("ok");
});

test("stop leaves no timer behind", async () => {
  const harness = await openHarness({ script: { default: "answer" } });
  await harness.human(main, "hello");
  await harness.settle();
  await harness.trunkline.stop();
  expect(harness.clock.pendingTimers).toBe(0);
});
