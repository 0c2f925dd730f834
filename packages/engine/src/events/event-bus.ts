import type { Logger } from "@trunkline/core";
import type { EventFilter, TrunklineEvent } from "./trunkline-event.ts";

/**
 * Live events: all of this process, and the runs that other processes queue, start and end while this one is started and
 * the store is shared. Nothing durable hangs on them.
 */
export interface EventSource extends AsyncIterable<TrunklineEvent> {
  /** Calls back for each matching event until the returned function is called. */
  subscribe(filter: EventFilter, listener: (event: TrunklineEvent) => void): () => void;
}

export interface EventBus extends EventSource {
  emit(event: TrunklineEvent): void;
  /** How many listen. */
  readonly listeners: number;
}

/** One process's event source; a listener that throws is logged and does not disturb the others. */
export function createEventBus(logger: Logger): EventBus {
  const listeners = new Set<(event: TrunklineEvent) => void>();
  const subscribe: EventSource["subscribe"] = (filter, listener) => {
    const filtered = (event: TrunklineEvent) => {
      if (matches(filter, event)) listener(event);
    };
    listeners.add(filtered);
    return () => listeners.delete(filtered);
  };
  return {
    subscribe,
    get listeners() {
      return listeners.size;
    },
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          logger.error({ err: error, type: event.type }, "an event listener threw");
        }
      }
    },
    async *[Symbol.asyncIterator]() {
      const waiting: TrunklineEvent[] = [];
      let arrived = Promise.withResolvers<void>();
      const unsubscribe = subscribe({}, (event) => {
        waiting.push(event);
        arrived.resolve();
      });
      try {
        while (true) {
          for (let event = waiting.shift(); event; event = waiting.shift()) yield event;
          await arrived.promise;
          arrived = Promise.withResolvers<void>();
        }
      } finally {
        unsubscribe();
      }
    },
  };
}

function matches(filter: EventFilter, event: TrunklineEvent): boolean {
  if (filter.types && !filter.types.includes(event.type)) return false;
  if (filter.sessionKey !== undefined && filter.sessionKey !== event.sessionKey) return false;
  return filter.runId === undefined || filter.runId === event.runId;
}
