import type { SessionStore } from "@trunkline/core";
import { createFakeClock, type FakeClock } from "@trunkline/testkit";

let going = 0;
const waiting: (() => void)[] = [];

/** The same store; while one of its calls is under way, the clocks of `createTestClock` stand still. */
export function watchedStore(store: SessionStore): SessionStore {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== "function" || property === "subscribe") return value;
      return async (...args: readonly unknown[]) => {
        going++;
        try {
          return await value.apply(target, args);
        } finally {
          going--;
          if (going === 0) for (const resolve of waiting.splice(0)) resolve();
        }
      };
    },
  });
}

/** A fake clock for engines on a store behind a network: before time moves on it waits for the calls of watched stores. */
export function createTestClock(): FakeClock {
  return createFakeClock({
    underWay: () => (going === 0 ? undefined : atRest()),
  });
}

function atRest(): Promise<void> {
  return new Promise((resolve) => waiting.push(resolve));
}
