import type { Clock } from "@trunkline/core";

export interface FakeClockOptions {
  /** The first `now()`, in milliseconds since the epoch; default 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /** Real milliseconds that must pass without activity before time moves on; default 0, right for SQLite. A store behind a network needs a few. */
  readonly quietMs?: number;
  /**
   * Asked before time moves on: a promise while something is going on that the clock cannot see, such as a request to a
   * server; time stands still until it settles. `undefined` when there is nothing.
   */
  readonly underWay?: () => Promise<unknown> | undefined;
}

export interface FakeClock extends Clock {
  /**
   * Moves time on by `ms` and runs the timers that fall due, one at a time, in order of their due time (then of their
   * creation), with `now()` at the due time of each. Before the first, after each and at the end it waits for the work
   * that was set off (promises, `setImmediate`, store calls) to settle: until twenty turns of the event loop, and `quietMs`,
   * have passed in which nobody called the clock. A timer set by that work runs too if it falls due in the span.
   * `advance(0)` runs what is due now and settles. Calls made at the same time follow one another; a timer's own
   * callback must not await one. A callback that throws rejects the call.
   */
  advance(ms: number): Promise<void>;
  /** Steps the time of day by `ms`, back too, as an operator would; timers keep their remaining delay. */
  step(ms: number): void;
  /** How many timers are waiting. */
  readonly pendingTimers: number;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

const quietTurns = 20;
const turnsAtMost = 20_000;
const timersAtMost = 100_000;

/** A clock that stands still until `advance` is called: days of timers run in milliseconds, in a fixed order. */
export function createFakeClock(options: FakeClockOptions = {}): FakeClock {
  const { now = Date.UTC(2026, 0, 1), quietMs = 0, underWay } = options;
  // Due times count from the clock's start, so that a step of the time of day moves no timer.
  let elapsed = 0;
  let stepped = 0;
  let calls = 0;
  let last: Promise<void> = Promise.resolve();
  const timers = new Set<Timer>();

  async function settle(): Promise<void> {
    let seen = calls;
    let quietSince = performance.now();
    let turns = 0;
    for (
      let total = 0;
      total < turnsAtMost && (turns < quietTurns || performance.now() - quietSince < quietMs);
      total++
    ) {
      await new Promise((resolve) => (quietMs > 0 ? setTimeout(resolve, 1) : setImmediate(resolve)));
      turns++;
      const work = underWay?.();
      if (work) await work.catch(() => undefined);
      if (work || calls !== seen) {
        seen = calls;
        turns = 0;
        quietSince = performance.now();
      }
    }
  }

  function next(limit: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.due <= limit && (!first || timer.due < first.due)) first = timer;
    return first;
  }

  async function run(ms: number): Promise<void> {
    await settle();
    const end = elapsed + ms;
    let count = 0;
    for (let timer = next(end); timer; timer = next(end)) {
      if (++count > timersAtMost)
        throw new Error(`advance(${ms}) ran ${timersAtMost} timers; one of them sets itself again at once`);
      timers.delete(timer);
      elapsed = Math.max(elapsed, timer.due);
      timer.callback();
      await settle();
    }
    elapsed = end;
    await settle();
  }

  return {
    now() {
      calls++;
      return now + elapsed + stepped;
    },
    setTimer(delayMs, callback) {
      calls++;
      const timer: Timer = { due: elapsed + Math.max(0, delayMs || 0), callback };
      timers.add(timer);
      return () => {
        if (timers.delete(timer)) calls++;
      };
    },
    advance(ms) {
      if (!(ms >= 0)) return Promise.reject(new RangeError(`advance takes milliseconds of at least 0, got ${ms}`));
      const done = last.then(() => run(ms));
      last = done.catch(() => undefined);
      return done;
    },
    step(ms) {
      stepped += ms;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}
