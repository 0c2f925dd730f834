import type { RunLane, RunState } from "@trunkline/core";
import type { Worker } from "./dispatch/worker.ts";
import type { Engine } from "./engine.ts";

const lanes: readonly RunLane[] = ["main", "nested", "subagent"];
const lookEveryMs = 2;

/** Looks until nothing is queued, running or due. The limit alone is real time; rejects with an error that names what is busy. */
export async function waitForIdle(engine: Engine, worker: Worker, timeoutMs: number): Promise<void> {
  const limit = performance.now() + timeoutMs;
  while (true) {
    const busy = [...worker.activity(), ...(await dueWork(engine))];
    if (busy.length === 0) return;
    if (performance.now() >= limit) {
      throw new Error(`Not idle after ${timeoutMs} ms: ${[...new Set(busy)].slice(0, 20).join("; ")}`);
    }
    worker.wake();
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

async function dueWork(engine: Engine): Promise<readonly string[]> {
  const [alive, dead] = await engine.store.read([
    { find: "process", index: "alive", equals: [0], limit: 1000 },
    { find: "process", index: "alive", equals: [1], limit: 1000 },
  ]);
  const below = engine.clock.now() + 1;
  // One snapshot: a run that moves on between two looks would be in neither.
  const [overdue, children, pending, sending, jobs, ...going] = await engine.store.read([
    { find: "run", index: "deadline", equals: [], from: 0, below, limit: 5 },
    { find: "spawn", index: "deadline", equals: [], from: 0, below, limit: 5 },
    { find: "delivery", index: "due", equals: ["pending"], from: 0, below, limit: 5 },
    { find: "delivery", index: "due", equals: ["sending"], limit: 5 },
    { find: "job", index: "due", equals: [], from: 0, below, limit: 5 },
    ...lanes.flatMap((lane) => [queuedIn(lane, 0), queuedIn(lane, 1)]),
    ...[...alive, ...dead].flatMap(({ id }) => [ownedBy(id, "claimed"), ownedBy(id, "running")]),
  ]);
  return [
    ...going.flat().map(({ id, kind, state }) => `run ${id} (${kind}) is ${state}`),
    ...overdue.map(({ id }) => `run ${id} is overdue`),
    ...children.map(({ runId }) => `child run ${runId} is overdue`),
    ...[...pending, ...sending].map(({ id, state }) => `delivery ${id} is ${state}`),
    ...jobs.map(({ kind }) => `a ${kind} job is due`),
  ];
}

function queuedIn(lane: RunLane, priority: number) {
  return { find: "run", index: "claimable", equals: [lane, priority], from: 0, limit: 5 } as const;
}

/** Runs that a process works on, this one or another; those of a dead one until they are taken over. */
function ownedBy(process: string, state: RunState) {
  return { find: "run", index: "owner", equals: [process, state], limit: 5 } as const;
}
