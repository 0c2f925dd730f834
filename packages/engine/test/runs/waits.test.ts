import { expect, test } from "vitest";
import { answerAfter, begin, callTool, databaseFile, openHarness } from "../harness.ts";
import { createTestClock } from "../stores/store-traffic.ts";

const main = "agent:a:main";

/** Two processes on one database, of which the second never hears a hint. */
async function openDeaf(ms: number) {
  const clock = createTestClock();
  const file = databaseFile();
  const first = await openHarness({
    clock,
    store: await file.open(),
    script: {
      [`${main} inbound`]: async (request) => {
        if (request.prompt !== "spawn") return answerAfter(clock, ms, "answer")(request);
        await callTool(request, "sessions_spawn", { task: "x" });
        return "spawned";
      },
      child: answerAfter(clock, ms, "result"),
    },
  });
  const deaf = { ...(await file.open()), subscribe: () => () => undefined };
  const second = await openHarness({ clock, store: deaf, start: false });
  return { clock, first, second };
}

test("a wait that never hears a hint notices the end of its run long before its limit", async () => {
  const { clock, first, second } = await openDeaf(12_000);
  const { runId } = await first.human(main, "hello");
  const waiting = begin(second.trunkline.waitForRun(runId, { timeoutMs: 3_600_000 }));
  await clock.advance(11_000);
  expect(waiting.done).toBe(false);
  await clock.advance(7_000);
  expect(await waiting.result()).toEqual({ status: "ok", reply: "answer" });
});

test("a wait for children that never hears a hint notices their ends", async () => {
  const { clock, first, second } = await openDeaf(12_000);
  await first.human(main, "spawn");
  await clock.advance(0);
  const waiting = begin(second.call(main, "subagents", { action: "wait", timeoutSeconds: 3_600 }));
  await clock.advance(20_000);
  expect(await waiting.result()).toMatchObject({ status: "ok" });
});

test("a wait ends at its limit whatever the clock did meanwhile, tells where the run stands, and can be had again", async () => {
  const clock = createTestClock();
  const harness = await openHarness({ clock, script: { default: answerAfter(clock, 60_000, "answer") } });
  const { runId } = await harness.human(main, "hello");
  const { runId: queued } = await harness.human(main, "and this");
  const waits = [runId, queued].map((id) => begin(harness.trunkline.waitForRun(id, { timeoutMs: 30_000 })));
  await clock.advance(20_000);
  clock.step(10_500);
  await clock.advance(5_000);
  expect(await Promise.all(waits.map((wait) => wait.result()))).toMatchObject([
    { status: "timeout", phase: "running" },
    { status: "timeout", phase: "queued" },
  ]);
  const again = begin(harness.trunkline.waitForRun(queued, { timeoutMs: 600_000 }));
  await clock.advance(120_000);
  expect(await again.result()).toEqual({ status: "ok", reply: "answer" });
});

test("a run that nobody knows is not waited for", async () => {
  const harness = await openHarness();
  expect(await harness.trunkline.waitForRun("nothing", { timeoutMs: 60_000 })).toMatchObject({
    status: "error",
    code: "not_found",
  });
});
