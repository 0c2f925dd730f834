import type { Engine } from "../engine.ts";

/** Whoever waits for something looks for itself this often: a hint may be lost, and a clock may jump. */
export const lookAgainMs = 5_000;

/** Sleeps until something wakes the waiter or the limit has passed, whichever comes first. */
export async function sleepUntilWoken(engine: Engine, limitMs: number, woken: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = engine.clock.setTimer(limitMs, over.resolve);
  try {
    await Promise.race([woken, over.promise]);
  } finally {
    cancel();
  }
}
