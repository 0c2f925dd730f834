import type { RunLane, RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { executeRun } from "../runs/execute-run.ts";
import { claimRun } from "./claim-run.ts";

const lanes: readonly RunLane[] = ["main", "nested", "subagent"];
const candidatesAtOnce = 8;

/** Brings claimable runs to where they are executed. */
export interface Dispatcher {
  /** Looks for what can be claimed now and starts it, or offers it. */
  dispatch(): Promise<void>;
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
  const working = new Set<Promise<void>>();

  async function dispatch(): Promise<void> {
    while (engine.isStarted() && (await startSome())) {
      // Each turn of the loop has started further runs.
    }
  }

  /** Claims what the lanes have room for, all at once so that the claims share a commit; whether there may be more. */
  async function startSome(): Promise<boolean> {
    const first = { from: 0, limit: candidatesAtOnce } as const;
    const [subagents, ...found] = await engine.store.read([
      { get: "counter", key: "lane:subagent" },
      ...lanes.flatMap((lane) =>
        [0, 1].map((priority) => ({ find: "run", index: "claimable", equals: [lane, priority], ...first }) as const),
      ),
    ]);
    // More claims at once than the global lane has room for would be a race, and the first in the queue could lose it.
    let room = engine.config.agents.defaults.subagents.maxConcurrent - (subagents?.used ?? 0);
    const starts: Promise<boolean>[] = [];
    for (const { id, lane } of found.flat()) {
      if (!engine.lanes.hasRoom(lane) || (lane === "subagent" && room-- <= 0)) continue;
      engine.lanes.take(lane);
      starts.push(start(id, lane));
    }
    const isPageFull = found.some((page) => page.length === candidatesAtOnce);
    return (await Promise.all(starts)).includes(true) && isPageFull;
  }

  async function start(id: string, lane: RunLane): Promise<boolean> {
    let claimed: RunRecord | undefined;
    try {
      claimed = await claimRun(engine, id);
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
    dispatch,
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
