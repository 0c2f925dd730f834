import type { OfferOutcome, Dispatcher as RunDispatcher, RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { executeRun } from "../runs/execute-run.ts";
import { claimRun } from "./claim-run.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** An offer that nobody took is repeated after this long; the queue behind it may have lost it. */
const offerAgainMs = 2_000;

/** Offers what is claimable through an outside dispatcher, and carries out what it hands back. */
export function createOfferingDispatcher(engine: Engine, outside: RunDispatcher): Dispatcher {
  const working = new Set<Promise<void>>();
  const offered = new Map<string, number>();

  async function offer(runs: readonly RunRecord[]): Promise<void> {
    const now = engine.clock.now();
    for (const [id, at] of offered) if (now - at >= offerAgainMs) offered.delete(id);
    for (const { id, lane } of runs) {
      if (offered.has(id)) continue;
      offered.set(id, now);
      await outside.offer({ id, lane });
    }
  }

  async function take(runId: string): Promise<OfferOutcome> {
    const [run] = await engine.store.read([{ get: "run", key: runId }]);
    if (run?.state !== "queued") return "gone";
    if (!engine.isStarted() || !engine.lanes.hasRoom(run.lane)) return "full";
    engine.lanes.take(run.lane);
    try {
      const claimed = await claimRun(engine, run);
      if (!claimed) return "gone";
      const work = executeRun(engine, claimed);
      working.add(work);
      await work.finally(() => working.delete(work));
      return "done";
    } finally {
      offered.delete(runId);
      engine.lanes.give(run.lane);
      engine.wake();
    }
  }

  return {
    runsAtOnce: 200,
    dispatch: ({ runs }) => offer(runs),
    dispatchFresh: offer,
    start: () => outside.start(take),
    stop: () => outside.stop(),
    get busy() {
      return working.size;
    },
    async idle() {
      while (working.size > 0) await Promise.allSettled([...working]);
    },
  };
}
