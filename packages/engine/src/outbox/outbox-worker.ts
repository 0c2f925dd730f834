import type { Engine } from "../engine.ts";
import { attemptDelivery } from "./attempt-delivery.ts";

const attemptsAtOnce = 16;

/** Attempts the deliveries that are due; one at a time for each destination. */
export interface OutboxWorker {
  dispatch(): Promise<void>;
  activity(): readonly string[];
  idle(): Promise<void>;
}

export function createOutboxWorker(engine: Engine): OutboxWorker {
  const working = new Map<string, Promise<void>>();
  return {
    async dispatch() {
      const below = engine.clock.now() + 1;
      const [due] = await engine.store.read([
        { find: "delivery", index: "due", equals: ["pending"], from: 0, below, limit: 200 },
      ]);
      const busyRoutes = new Set<string>();
      for (const delivery of due) {
        if (working.size >= attemptsAtOnce || working.has(delivery.id)) continue;
        const route = delivery.routeHash ?? delivery.id;
        if (busyRoutes.has(route)) continue;
        busyRoutes.add(route);
        const work = attemptDelivery(engine, delivery.id)
          .catch((error: unknown) =>
            engine.logger.error({ err: error, delivery: delivery.id }, "a delivery could not be worked on"),
          )
          .finally(() => {
            working.delete(delivery.id);
            engine.wake();
          });
        working.set(delivery.id, work);
      }
    },
    activity: () => [...working.keys()].map((id) => `delivery ${id}`),
    async idle() {
      while (working.size > 0) await Promise.allSettled([...working.values()]);
    },
  };
}
