import type { Engine } from "../engine.ts";
import { type Claimable, claimableOf, claimableReads } from "./claimable.ts";

/** What there is to do for a worker. */
export interface WorkSeen {
  /** Runs or children that have passed their time limit. */
  readonly overdue: boolean;
  readonly claimable: Claimable;
  readonly deliveries: boolean;
  readonly jobs: boolean;
  /** The nearest time at which something falls due by itself; unknown while something is due now. */
  readonly nextAt: number | undefined;
}

/** Looks at everything in one read, so that a wake-up that finds nothing costs little; at most so many runs of each lane. */
export async function lookForWork(engine: Engine, runsAtMost: number): Promise<WorkSeen> {
  const now = engine.clock.now();
  const first = { from: 0, limit: 1 } as const;
  const [runs, spawns, deliveries, jobs, ...claimable] = await engine.store.read([
    { find: "run", index: "deadline", equals: [], ...first },
    { find: "spawn", index: "deadline", equals: [], ...first },
    { find: "delivery", index: "due", equals: ["pending"], ...first },
    { find: "job", index: "due", equals: [], ...first },
    ...claimableReads(runsAtMost),
  ]);
  const deadlineAt = earliest(runs[0]?.deadlineAt, spawns[0]?.deadlineAt);
  const attemptAt = earliest(deliveries[0]?.nextAttemptAt);
  const jobAt = earliest(jobs[0]?.dueAt);
  const isDue = (at: number) => at <= now;
  const nextAt = Math.min(deadlineAt, attemptAt, jobAt);
  return {
    overdue: isDue(deadlineAt),
    claimable: claimableOf(claimable, runsAtMost),
    deliveries: isDue(attemptAt),
    jobs: isDue(jobAt),
    nextAt: isDue(nextAt) || nextAt === Number.POSITIVE_INFINITY ? undefined : nextAt,
  };
}

function earliest(...times: readonly (number | null | undefined)[]): number {
  return Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
}
