import type { Clock } from "@trunkline/core";

const longestTimeoutMs = 2 ** 31 - 1;

/** The system's own time; its timers keep the process alive, until `stop()` cancels them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), longestTimeoutMs));
    return () => clearTimeout(timer);
  },
};
