import type { Engine } from "../engine.ts";
import { timeOutRun } from "../runs/cancel-run.ts";
import { isEnded } from "../runs/run-states.ts";
import { timeOutSpawn } from "../spawns/end-spawn.ts";

const batch = 50;

/** Ends runs and children that have passed their time limit, whichever process they work in. */
export async function timeOutOverdue(engine: Engine): Promise<void> {
  const below = engine.clock.now() + 1;
  const [runs, spawns] = await engine.store.read([
    { find: "run", index: "deadline", equals: [], from: 0, below, limit: batch },
    { find: "spawn", index: "deadline", equals: [], from: 0, below, limit: batch },
  ]);
  for (const spawn of spawns) await timeOutSpawn(engine, spawn);
  for (const run of runs) if (!isEnded(run)) await timeOutRun(engine, run);
}

/** The nearest time at which something falls due by itself, in milliseconds since the epoch. */
export async function nextDueAt(engine: Engine): Promise<number | undefined> {
  // What is due already is being worked on, or waits for something that wakes the worker when it is over.
  const from = engine.clock.now() + 1;
  const [runs, spawns, deliveries, jobs] = await engine.store.read([
    { find: "run", index: "deadline", equals: [], from, limit: 1 },
    { find: "spawn", index: "deadline", equals: [], from, limit: 1 },
    { find: "delivery", index: "due", equals: ["pending"], from, limit: 1 },
    { find: "job", index: "due", equals: [], from, limit: 1 },
  ]);
  const times = [runs[0]?.deadlineAt, spawns[0]?.deadlineAt, deliveries[0]?.nextAttemptAt, jobs[0]?.dueAt];
  return times.reduce<number | undefined>(
    (nearest, time) => (time === null || time === undefined ? nearest : Math.min(nearest ?? time, time)),
    undefined,
  );
}
