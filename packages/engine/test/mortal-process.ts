import type { SessionStore } from "@trunkline/core";
import type { FakeClock } from "@trunkline/testkit";
import { onTestFinished } from "vitest";
import type { Trunkline } from "../src/index.ts";

/** A process that can be killed: what it works on, and its end. */
export interface MortalProcess {
  readonly store: SessionStore;
  readonly clock: FakeClock;
  readonly isDead: boolean;
  readonly isFrozen: boolean;
  /** From now on nothing that this process does reaches the store, no hint and no timer reaches it. */
  kill(): void;
  /** Lets go of the code that hangs behind calls of a killed process; done when the test ends, at the latest. */
  bury(): void;
  /** Holds timers back, as a process does that gets no time: what falls due meanwhile runs at `thaw`. */
  freeze(): void;
  thaw(): void;
}

/**
 * Plays a process that dies without a word: its engine gets this store and this clock. Calls that are made after its death
 * never come back, so that the code behind them stops where it stands; they are let go only when the test ends.
 */
export function mortalProcess(store: SessionStore, clock: FakeClock): MortalProcess {
  let dead = false;
  const timers = new Set<() => void>();
  let frozen = false;
  const late: (() => void)[] = [];
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => undefined);

  const bury = () => end.reject(new Error("this process is dead"));

  function alive<A extends readonly unknown[], T>(call: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
    return async (...args) => {
      if (dead) return end.promise;
      const result = await call(...args);
      return dead ? end.promise : result;
    };
  }

  return {
    store: {
      ...store,
      clock: alive(() => store.clock()),
      commit: alive((transaction) => store.commit(transaction)),
      read: alive(store.read) as SessionStore["read"],
      listSessions: alive((query) => store.listSessions(query)),
      readMessages: alive((query) => store.readMessages(query)),
      searchMessages: alive((query) => store.searchMessages(query)),
      sumUsage: alive((query) => store.sumUsage(query)),
      prune: alive((request) => store.prune(request)),
      subscribe: (listener) => store.subscribe((hints) => (dead ? undefined : listener(hints))),
    },
    clock: {
      now: () => clock.now(),
      setTimer(delayMs, callback) {
        if (dead) return () => undefined;
        const cancel = clock.setTimer(delayMs, () => {
          timers.delete(cancel);
          if (frozen) late.push(callback);
          else callback();
        });
        timers.add(cancel);
        return () => {
          timers.delete(cancel);
          cancel();
        };
      },
      advance: (ms) => clock.advance(ms),
      step: (ms) => clock.step(ms),
      get pendingTimers() {
        return clock.pendingTimers;
      },
    },
    get isDead() {
      return dead;
    },
    kill() {
      dead = true;
      for (const cancel of timers) cancel();
      onTestFinished(bury);
    },
    bury,
    get isFrozen() {
      return frozen;
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      for (const callback of late.splice(0)) if (!dead) callback();
    },
  };
}

/** Starts a process that may be dead before it has started; nobody waits for that. */
export function startMortal(trunkline: Trunkline): void {
  trunkline.start().catch(() => undefined);
}
