import fc from "fast-check";
import { expect, test } from "vitest";
import { isEnded } from "../../src/runs/run-states.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";
import { testStore } from "../stores/test-databases.ts";
import { commands, expectNoRepetition } from "./commands.ts";
import { script, sessionKeys } from "./plan.ts";
import { planAt, textOfPlan } from "./scripted-world.ts";
import { limits, openWorld, type World } from "./world.ts";

const { TRUNKLINE_MODEL_RUNS: runs, TRUNKLINE_MODEL_SEED: seed, TRUNKLINE_MODEL_PATH: path } = process.env;

/** A world that takes this long hangs: it fails with its seed, at once, since shrinking would hang again and again. */
const worldLimitMs = 180_000;

/** Without a wish, as many worlds as three quarters of a minute allow; a seed and a path of a failure replay it. */
const parameters = {
  numRuns: Number(runs ?? 250),
  timeout: worldLimitMs,
  endOnFailure: testStore !== "sqlite",
  ...(runs === undefined ? { interruptAfterTimeLimit: 45_000, markInterruptAsFailure: false } : {}),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
  ...(path === undefined ? {} : { path }),
};

test("whatever happens, in whatever order, the store keeps its rules, nothing is lost and nothing is done twice", {
  timeout: 15 * 60_000,
}, async () => {
  const property = fc.asyncProperty(
    script,
    fc.commands(commands, { maxCommands: 60, size: "max" }),
    async (world, actions) => {
      let opened: World | undefined;
      try {
        await fc.asyncModelRun(async () => {
          opened = await openWorld(world);
          return { model: {}, real: opened };
        }, actions);
        if (opened) await comeToRest(opened);
      } finally {
        await opened?.close();
      }
    },
  );
  await fc.assert(property, parameters);
});

/** After everything: one process that works, time for all that is due, an end for what hangs. Then nothing may be left. */
async function comeToRest(world: World): Promise<void> {
  const { clock, store } = world;
  world.killAtBoundary(0);
  world.loseConnectionAt(0, false);
  for (const { mortal } of world.processes) mortal.thaw();
  await world.front();
  await clock.advance(120_000);
  await world.settle();
  await clock.advance(120_000);
  const peaceful = world.works.filter((work) => work.peaceful && work.ended);
  const hangs = world.script.plans.some(({ end }) => end === "hang" || end === "ignore");
  // Only behind a runner that hangs may anything still wait.
  if (!hangs) expect(world.works.filter((work) => work.peaceful && !work.ended)).toEqual([]);
  world.disturb();
  for (const key of Object.values(sessionKeys)) {
    const { trunkline } = await world.front();
    await trunkline.abort({ sessionKey: key }).catch(() => undefined);
  }
  const { trunkline } = await world.front();
  for (let pass = 0; pass < 5; pass++) {
    // What waits for its time need not be waited for beat by beat.
    clock.step(10 * 60_000);
    await clock.advance(10_000);
  }
  await trunkline.waitForIdle({ timeoutMs: 30_000 });

  expect(await findViolations(store, { ...limits, quietAt: clock.now() })).toEqual([]);
  expectNoRepetition(world);
  const rows = await takeSnapshot(store);
  expect(rows.run.filter((run) => !isEnded(run))).toEqual([]);
  expect(rows.spawn.filter(({ state }) => state !== "settled")).toEqual([]);
  expect(rows.flow.filter(({ phase }) => phase !== "done")).toEqual([]);
  expect(rows.job).toEqual([]);
  expect(rows.delivery.filter(({ state }) => state === "pending" || state === "sending")).toEqual([]);
  for (const work of peaceful) await expectDone(world, work);

  const called = world.effects.calls.length;
  clock.step(24 * 60 * 60_000);
  await clock.advance(60_000);
  expect(world.effects.calls).toHaveLength(called);
}

/** Work that was left in peace has come to what its plan says. */
async function expectDone(world: World, { runId, plan: number, from }: World["works"][number]): Promise<void> {
  const { trunkline } = await world.front();
  const plan = planAt(world.script, number);
  const waited = await trunkline.waitForRun(runId, { timeoutMs: 0 });
  const yields = plan.steps.some((step) => step.do === "yield");
  if (yields || from === "spawn" || plan.end === "hang" || plan.end === "ignore") return;
  const story = { plan: number, from, end: plan.end };
  if (plan.end === "fail") expect({ ...story, ...waited }).toMatchObject({ status: "error", code: "run_failed" });
  else if (plan.end === "say") {
    expect({ ...story, ...waited }).toEqual({ ...story, status: "ok", reply: textOfPlan(number) });
  } else {
    // What a run has told on its way is its text when it ends with nothing else.
    const told = plan.end === "nothing" && plan.steps.some((step) => step.do === "tell");
    const reply = told ? { reply: `telling ${runId}` } : {};
    expect({ ...story, ...waited }).toEqual({ ...story, status: "ok", ...reply });
  }
}
