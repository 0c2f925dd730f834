import type { Engine } from "../engine.ts";
import { attemptDelivery } from "./attempt-delivery.ts";

const attemptsAtOnce = 16;
const dueAtOnce = 1000;

/** Attempts the deliveries that are due; one at a time for each destination. */
export interface OutboxWorker {
  dispatch(): Promise<void>;
  activity(): readonly string[];
  idle(): Promise<void>;
  /** Gives up the requests that are going; their outcome is open. */
  stop(): void;
}

export function createOutboxWorker(engine: Engine): OutboxWorker {
  const working = new Map<string, { readonly route: string; readonly done: Promise<void> }>();
  let stopping = new AbortController();

  async function attempt(id: string): Promise<void> {
    let moved = false;
    try {
      moved = await attemptDelivery(engine, id, stopping.signal);
    } catch (error) {
      engine.logger.error({ err: error, delivery: id }, "a delivery could not be worked on");
    } finally {
      working.delete(id);
    }
    // One that has to wait is looked at again when something else has happened; waking for it would never end.
    if (moved) engine.wake();
  }

  return {
    async dispatch() {
      const below = engine.clock.now() + 1;
      const [due] = await engine.store.read([
        { find: "delivery", index: "due", equals: ["pending"], from: 0, below, limit: dueAtOnce },
      ]);
      const busyRoutes = new Set([...working.values()].map(({ route }) => route));
      for (const { id, routeHash } of due) {
        const route = routeHash ?? id;
        if (working.size >= attemptsAtOnce) break;
        if (busyRoutes.has(route)) continue;
        busyRoutes.add(route);
        working.set(id, { route, done: attempt(id) });
      }
    },
    activity: () => [...working.keys()].map((id) => `delivery ${id}`),
    async idle() {
      while (working.size > 0) await Promise.allSettled([...working.values()].map(({ done }) => done));
    },
    stop() {
      stopping.abort();
      stopping = new AbortController();
    },
  };
}
