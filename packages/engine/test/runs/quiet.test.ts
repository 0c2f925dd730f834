import { DeliveryError, type RunRequest, type SessionStore } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, callTool, emptyStore, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { createTestClock } from "../stores/store-traffic.ts";
import { testStore } from "../stores/test-databases.ts";

const main = "agent:a:main";
const chat = { channel: "telegram", peer: { kind: "direct", id: "7" } } as const;

/** The same store, counting what is asked of it. */
function counted(store: SessionStore): {
  readonly store: SessionStore;
  readonly calls: { reads: number; commits: number };
} {
  const calls = { reads: 0, commits: 0 };
  return {
    calls,
    store: {
      ...store,
      read(requests) {
        calls.reads++;
        return store.read(requests);
      },
      commit(transaction) {
        calls.commits++;
        return store.commit(transaction);
      },
    },
  };
}

test("after everything has come to rest a whole day (two hours on a server) sets nothing off: no runner call, no commit but the lease's", async () => {
  const base = createTestClock();
  let timers = 0;
  const clock = {
    ...base,
    now: () => base.now(),
    setTimer: (ms: number, callback: () => void) => {
      timers++;
      return base.setTimer(ms, callback);
    },
  };
  const { store, calls } = counted(await emptyStore());
  const harness = await openHarness({
    store,
    clock,
    channels: [{ channel: "telegram", onSend: () => Promise.reject(new DeliveryError("retryable", "later")) }],
    script: {
      [`${main} inbound`]: async (request) => {
        await callTool(request, "sessions_spawn", { task: "x", cleanup: "delete" });
        await callTool(request, "sessions_spawn", { task: "y" });
        await callTool(request, "sessions_send", { sessionKey: "agent:b:main", message: "?", timeoutSeconds: 0 });
        await callTool(request, "sessions_yield", {});
        return "";
      },
      default: "text",
    },
  });
  await harness.trunkline.receive({ ...chat, text: "go" });
  await harness.advance(2 * 60 * 60_000);
  await harness.settle();
  const before = { runs: harness.runner.requests.length, timers, ...calls };
  const rest = (testStore === "sqlite" ? 24 : 2) * 60 * 60_000;
  await harness.advance(rest);
  expect(harness.runner.requests).toHaveLength(before.runs);
  const beats = rest / 5_000;
  expect(calls.commits - before.commits).toBeLessThanOrEqual(beats);
  expect(calls.reads - before.reads).toBeLessThan(beats * 8);
  expect(timers - before.timers).toBeLessThan(beats * 3);
  expect(harness.clock.pendingTimers).toBeLessThan(5);
  expect(await findViolations(harness.store)).toEqual([]);
});

const ask = (request: RunRequest) =>
  callTool(request, "sessions_send", { sessionKey: "agent:b:main", message: "?", timeoutSeconds: 3_000 });

test.each([
  ["a run that goes on", hang],
  ["a run that waits for another session", (request: RunRequest) => ask(request).then(() => "")],
])("%s sets nothing off while it does", async (_, inbound) => {
  const { store, calls } = counted(await emptyStore());
  const harness = await openHarness({
    store,
    script: { [`${main} inbound`]: inbound, "agent:b:main": hang },
  });
  await harness.human(main, "hello");
  await harness.advance(0);
  const before = calls.reads;
  await harness.advance(60_000);
  expect(calls.reads - before).toBeLessThan(60 * 8);
});

test("a text that waits for its chat to be free, or for its next attempt, sets nothing off while it does", async () => {
  const clock = createTestClock();
  const { store, calls } = counted(await emptyStore());
  const harness = await openHarness({
    clock,
    store,
    channels: [
      {
        channel: "telegram",
        onSend: () => new Promise((resolve) => void clock.setTimer(20_000, () => resolve(undefined))),
      },
    ],
    script: { default: "answer" },
  });
  for (let number = 0; number < 5; number++) await harness.trunkline.receive({ ...chat, text: `text ${number}` });
  await harness.advance(0);
  const before = calls.reads;
  await harness.advance(10_000);
  expect(calls.reads - before).toBeLessThan(10 * 12);
  await harness.advance(100_000);
  expect(harness.channel("telegram").sent).toHaveLength(5);
});

test("work that a process has no room for sets nothing off while it waits", async () => {
  const clock = createTestClock();
  const { store, calls } = counted(await emptyStore());
  const harness = await openHarness({
    clock,
    store,
    lanes: { main: 1 },
    script: { default: answerAfter(clock, 30_000, "answer") },
  });
  for (let number = 0; number < 20; number++) await harness.human(`agent:a:telegram:group:${number}`, "hello");
  await harness.advance(0);
  const before = calls.reads;
  await harness.advance(25_000);
  expect(calls.reads - before).toBeLessThan(25 * 12);
});
