import type { RunLane, RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { executeRun } from "../runs/execute-run.ts";
import { claimRun } from "./claim-run.ts";
import { type Claimable, claimableOf, claimableReads } from "./claimable.ts";

/** Brings claimable runs to where they are executed. */
export interface Dispatcher {
  /** How many claimable runs of each lane it is shown at once. */
  readonly runsAtOnce: number;
  /** Starts what was seen to be claimable, and what else there is, or offers it. */
  dispatch(seen: Claimable): Promise<void>;
  /** Starts or offers runs that this process queued just now, where none wait before them. */
  dispatchFresh(runs: readonly RunRecord[]): Promise<void>;
  start(): Promise<void>;
  /** Begins nothing more. */
  stop(): Promise<void>;
  /** How many runs work in this process now. */
  readonly busy: number;
  /** Resolves when no run works any more. */
  idle(): Promise<void>;
}

/** Claims and executes queued runs in this process, as far as its lanes have room. */
export function createLocalDispatcher(engine: Engine): Dispatcher {
  const runsAtOnce = 8;
  const working = new Set<Promise<void>>();
  /** Lanes in which runs were seen to wait: whoever comes now is behind them. */
  let crowded = new Set<RunLane>();

  async function dispatchFresh(runs: readonly RunRecord[]): Promise<void> {
    const first = runs.filter(({ lane, mode }) => lane !== "subagent" && mode !== "collect" && !crowded.has(lane));
    if (engine.isStarted() && first.length > 0) await startAll(first.filter(takesRoom));
  }

  async function dispatch(seen: Claimable): Promise<void> {
    let claimable = seen;
    while (engine.isStarted() && (await startSome(claimable)) && claimable.hasMore) {
      claimable = claimableOf(await engine.store.read(claimableReads(runsAtOnce)), runsAtOnce);
    }
  }

  /** Claims what the lanes have room for, all at once so that the claims share a commit; whether any was claimed. */
  async function startSome({ runs, subagents, hasMore }: Claimable): Promise<boolean> {
    // More claims at once than the global lane has room for would be a race, and the first in the queue could lose it.
    let room = engine.config.agents.defaults.subagents.maxConcurrent - subagents;
    const taken = runs.filter((run) => (run.lane !== "subagent" || room-- > 0) && takesRoom(run));
    const left = hasMore ? runs : runs.filter((run) => !taken.includes(run));
    crowded = new Set(left.map(({ lane }) => lane));
    return await startAll(taken);
  }

  function takesRoom({ lane }: RunRecord): boolean {
    const hasRoom = engine.lanes.hasRoom(lane);
    if (hasRoom) engine.lanes.take(lane);
    return hasRoom;
  }

  async function startAll(runs: readonly RunRecord[]): Promise<boolean> {
    return (await Promise.all(runs.map(start))).includes(true);
  }

  async function start(run: RunRecord): Promise<boolean> {
    const { id, lane } = run;
    let claimed: RunRecord | undefined;
    try {
      claimed = await claimRun(engine, run);
    } finally {
      if (!claimed) engine.lanes.give(lane);
    }
    if (!claimed) return false;
    track(
      executeRun(engine, claimed)
        .catch((error: unknown) => engine.logger.error({ err: error, runId: id }, "a run could not be carried out"))
        .finally(() => engine.lanes.give(lane)),
    );
    return true;
  }

  function track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => {
      working.delete(tracked);
      engine.wake();
    });
    working.add(tracked);
  }

  return {
    runsAtOnce,
    dispatch,
    dispatchFresh,
    start: async () => undefined,
    stop: async () => undefined,
    get busy() {
      return working.size;
    },
    async idle() {
      while (working.size > 0) await Promise.allSettled([...working]);
    },
  };
}
