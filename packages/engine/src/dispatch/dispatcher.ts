import type { RunLane } from "@trunkline/core";
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
    for (const lane of lanes) {
      while (engine.isStarted() && engine.lanes.hasRoom(lane) && (await startOne(lane))) {
        // Each turn of the loop has started one more run.
      }
    }
  }

  async function startOne(lane: RunLane): Promise<boolean> {
    const [ending, starting] = await engine.store.read([
      { find: "run", index: "claimable", equals: [lane, 0], from: 0, limit: candidatesAtOnce },
      { find: "run", index: "claimable", equals: [lane, 1], from: 0, limit: candidatesAtOnce },
    ]);
    for (const candidate of [...ending, ...starting]) {
      const claimed = await claimRun(engine, candidate.id);
      if (!claimed) continue;
      engine.lanes.take(lane);
      track(
        executeRun(engine, claimed)
          .catch((error: unknown) =>
            engine.logger.error({ err: error, runId: claimed.id }, "a run could not be carried out"),
          )
          .finally(() => engine.lanes.give(lane)),
      );
      return true;
    }
    return false;
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
