import { expect, test } from "vitest";
import { callTool, databaseFile, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";
import { mortalProcess, startMortal } from "../mortal-process.ts";
import { createTestClock } from "../stores/store-traffic.ts";

const main = "agent:a:main";
const chat = { channel: "telegram", peer: { kind: "direct", id: "7" } } as const;
const afterLeaseMs = 20_000;

/** A process with a child at work, killed. */
async function dieWithChild(endsTurn: boolean) {
  const store = await databaseFile().open();
  const clock = createTestClock();
  const process = mortalProcess(store, clock);
  const channels = [{ channel: "telegram" }];
  const harness = await openHarness({
    store: process.store,
    clock: process.clock,
    channels,
    script: {
      [`${main} inbound`]: async (request) => {
        await callTool(request, "sessions_spawn", { task: "long work", label: "worker" });
        if (!endsTurn) return "spawned";
        await callTool(request, "sessions_yield", {});
        return "";
      },
      child: hang,
    },
  });
  await harness.trunkline.receive({ ...chat, text: "go" });
  await clock.advance(0);
  process.kill();
  return { store, clock, channels };
}

test("B86: a child whose process died is interrupted, its parent is told once, and it is still listed", async () => {
  const { store, clock, channels } = await dieWithChild(false);
  const next = await openHarness({ store, clock, channels, script: { child: "never" } });
  await next.advance(afterLeaseMs);
  await next.settle();
  const entries = (await next.transcript(main)).filter((line) => line.includes("Status:"));
  expect(entries).toEqual([expect.stringContaining("Status: interrupted")]);
  expect(next.channel("telegram").sent.filter(({ text }) => text.includes("Status: interrupted"))).toHaveLength(1);
  const listed = await next.call(main, "subagents", { action: "list" });
  expect("recent" in listed && listed.recent).toMatchObject([{ label: "worker", outcome: "interrupted" }]);
  expect(next.requests(main)).toHaveLength(0);
  expect(await findViolations(store)).toEqual([]);
});

test("B87: runs that were cut off long ago are settled at the next start, however long that takes; none comes back to life", async () => {
  const { store, clock, channels } = await dieWithChild(true);
  clock.step(90 * 24 * 60 * 60_000);
  const next = await openHarness({ store, clock, channels, script: { resume: "the child was cut off" } });
  await next.settle();
  expect(next.runner.requests.map(({ run }) => run.kind)).toEqual(["resume"]);
  expect((await takeSnapshot(store)).run.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
    "child interrupted",
    "inbound yielded",
    "resume ok",
  ]);
  expect(await findViolations(store)).toEqual([]);
});

test("B88: a run that takes its process down is given up after three tries, and never again", async () => {
  const store = await databaseFile().open();
  const clock = createTestClock();
  let runId = "";
  for (let boot = 1; boot <= 3; boot++) {
    const process = mortalProcess(store, clock);
    const harness = await openHarness({
      store: process.store,
      clock: process.clock,
      hooks: { faultPoint: (name) => (name === "claim.after-commit" ? process.kill() : undefined) },
      start: false,
    });
    if (boot === 1) runId = (await harness.human(main, "wedge")).runId;
    startMortal(harness.trunkline);
    await clock.advance(afterLeaseMs);
    expect(process.isDead).toBe(true);
  }
  for (let boot = 4; boot <= 5; boot++) {
    const harness = await openHarness({ store, clock, script: { default: "never" } });
    await harness.advance(afterLeaseMs);
    expect(harness.runner.requests).toHaveLength(0);
    expect(await harness.run(runId)).toMatchObject({ state: "interrupted", errorCode: "recovery_exhausted" });
    await harness.trunkline.stop();
  }
});

test("B89: two processes that start at once after a crash resume the parent once", async () => {
  for (let seed = 0; seed < 5; seed++) {
    const { store, clock, channels } = await dieWithChild(true);
    clock.step(afterLeaseMs);
    const options = { store, clock, channels, script: { resume: "resumed" }, start: false };
    const both = await Promise.all([openHarness(options), openHarness(options)]);
    await Promise.all(both.map(({ trunkline }) => trunkline.start()));
    await clock.advance(afterLeaseMs);
    for (const harness of both) await harness.settle();
    expect(both.flatMap(({ runner }) => runner.requests.map(({ run }) => run.kind))).toEqual(["resume"]);
    expect(both.flatMap((harness) => harness.channel("telegram").sent.map(({ text }) => text))).toEqual(["resumed"]);
    expect((await both[0].transcript(main)).filter((line) => line.includes("Status:"))).toHaveLength(1);
    expect(await findViolations(store)).toEqual([]);
    for (const { trunkline } of both) await trunkline.stop();
  }
});
