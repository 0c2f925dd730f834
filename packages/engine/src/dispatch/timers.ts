import type { Clock } from "@trunkline/core";

/** Named timers, at most one of a name. */
export interface Timers {
  /** Sets a timer, in place of one of that name. */
  set(name: string, delayMs: number, callback: () => void): void;
  /** Sets a timer if none of that name waits. */
  setUnlessSet(name: string, delayMs: number, callback: () => void): void;
  /** Calls back again and again. */
  repeat(name: string, everyMs: number, callback: () => void): void;
  cancelAll(): void;
}

export function createTimers(clock: Clock): Timers {
  const waiting = new Map<string, () => void>();

  function set(name: string, delayMs: number, callback: () => void): void {
    waiting.get(name)?.();
    const cancel = clock.setTimer(delayMs, () => {
      if (waiting.get(name) === cancel) waiting.delete(name);
      callback();
    });
    waiting.set(name, cancel);
  }

  return {
    set,
    setUnlessSet(name, delayMs, callback) {
      if (!waiting.has(name)) set(name, delayMs, callback);
    },
    repeat(name, everyMs, callback) {
      const next = (): void => {
        set(name, everyMs, next);
        callback();
      };
      set(name, everyMs, next);
    },
    cancelAll() {
      for (const cancel of waiting.values()) cancel();
      waiting.clear();
    },
  };
}
