import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, toStoreError } from "./sqlite-errors.ts";

/** How long a lock held by another process is waited for, in milliseconds. */
export const busyBudgetMs = 30_000;

export interface RetryOptions {
  readonly description: string;
  readonly budgetMs: number;
}

/**
 * Runs synchronous database work, in this tick when it is free and again after 1–25 ms while another process holds the
 * lock. The waits are random so that waiting writers do not move in step, and never block the event loop.
 */
export async function retryBusy<T>(
  work: () => T,
  { description, budgetMs }: RetryOptions,
  startedAt = performance.now(),
): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAt > budgetMs) throw toStoreError(error, description);
      await sleep(1 + Math.random() * 24);
    }
  }
}
