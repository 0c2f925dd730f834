import type { Clock } from "@trunkline/core";

/** How much faster than real time the processes of a case live; a lease has to outlast slow moments of a server. */
export const speed = (process.env["TRUNKLINE_TEST_STORE"] ?? "sqlite") === "sqlite" ? 10 : 3;

/** A clock that all processes of a case share: real time, `speed` times as fast, so that back-offs do not take minutes. */
export const fastClock: Clock = {
  now: () => Math.floor(Date.now() * speed),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.max(0, delayMs) / speed);
    return () => clearTimeout(timer);
  },
};
