import type { Worker } from "./dispatch/worker.ts";
import type { Engine } from "./engine.ts";

const lanes = ["main", "nested", "subagent"] as const;
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
  const below = engine.clock.now() + 1;
  const [runs, spawns, deliveries, sending, jobs] = await engine.store.read([
    { find: "run", index: "deadline", equals: [], from: 0, below, limit: 5 },
    { find: "spawn", index: "deadline", equals: [], from: 0, below, limit: 5 },
    { find: "delivery", index: "due", equals: ["pending"], from: 0, below, limit: 5 },
    { find: "delivery", index: "due", equals: ["sending"], limit: 5 },
    { find: "job", index: "due", equals: [], from: 0, below, limit: 5 },
  ]);
  const queued = await engine.store.read(
    lanes.flatMap((lane) =>
      [0, 1].map(
        (priority) => ({ find: "run", index: "claimable", equals: [lane, priority], from: 0, limit: 5 }) as const,
      ),
    ),
  );
  return [
    ...queued.flat().map(({ id, kind }) => `run ${id} (${kind}) is queued`),
    ...runs.map(({ id }) => `run ${id} is overdue`),
    ...spawns.map(({ runId }) => `child run ${runId} is overdue`),
    ...[...deliveries, ...sending].map(({ id, state }) => `delivery ${id} is ${state}`),
    ...jobs.map(({ kind }) => `a ${kind} job is due`),
  ];
}
