import type { PruneRequest } from "@trunkline/core";
import type { Timers } from "../dispatch/timers.ts";
import type { Engine } from "../engine.ts";
import { createStaleSessions } from "./stale-sessions.ts";

/** Removes what has been kept long enough, now and then, in small commits with room for others in between. */
export interface Retention {
  start(): void;
  /** Resolves when no batch is being worked on. */
  idle(): Promise<void>;
}

const dayMs = 24 * 60 * 60_000;
/** How long events, and runs with what belongs to them, are kept after they happened or ended. */
export const keptMs = 30 * dayMs;
/** How many events one session keeps at most. */
export const eventsPerSession = 50_000;

const lookEveryMs = 10 * 60_000;
const firstLookMs = 60_000;
const goOnAfterMs = 1_000;
const rowsAtOnce = 500;
const batchesAtOnce = 20;

export function createRetention(engine: Engine, timers: Timers): Retention {
  const staleSessions = createStaleSessions(engine);
  let working: Promise<void> | undefined;

  function lookIn(delayMs: number): void {
    timers.set("retention", delayMs, () => {
      working ??= look().finally(() => {
        working = undefined;
      });
    });
  }

  async function look(): Promise<void> {
    let more = false;
    try {
      for (const request of requests(engine.clock.now()))
        more = (await inBatches(() => prune(engine, request))) || more;
      more = (await inBatches(() => staleSessions.removeSome())) || more;
    } catch (error) {
      engine.logger.error({ err: error }, "what was kept long enough could not be removed; it is tried again");
    }
    if (engine.isStarted()) lookIn(more ? goOnAfterMs : lookEveryMs);
  }

  /** Whether there is more to do than was done. */
  async function inBatches(batch: () => Promise<boolean>): Promise<boolean> {
    for (let count = 0; count < batchesAtOnce; count++) {
      if (!engine.isStarted() || !(await batch())) return false;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  }

  return {
    start: () => lookIn(firstLookMs),
    async idle() {
      await working;
    },
  };
}

async function prune(engine: Engine, request: PruneRequest): Promise<boolean> {
  return (await engine.store.prune(request)).more;
}

function requests(now: number): readonly PruneRequest[] {
  const before = now - keptMs;
  return [
    { what: "events", before, keepPerSession: eventsPerSession, limit: rowsAtOnce },
    // A key carries its own end, and keeps its run until then.
    { what: "idempotency", before: now, limit: rowsAtOnce },
    { what: "runs", before, limit: rowsAtOnce },
  ];
}
