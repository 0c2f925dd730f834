import { setTimeout as sleep } from "node:timers/promises";
import { TrunklineError } from "@trunkline/core";
import { busy } from "./executor-errors.ts";
import type { ServerDialect } from "./server-dialect.ts";

const maxConflicts = 10;
/** Waits before another connection is tried, in milliseconds: the first costs nothing, a restarting server gets a second. */
const reconnectAfterMs = [0, 20, 60, 150, 300, 500];

export interface RetryOptions {
  readonly dialect: ServerDialect;
  readonly description: string;
  readonly retries: boolean;
}

/** Runs work again after a conflict with another transaction, or on a new connection; rejects with the store's errors only. */
export function createRetry({ dialect, description, retries }: RetryOptions) {
  return async function retry<T>(work: () => Promise<T>): Promise<T> {
    let conflicts = 0;
    let losses = 0;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (TrunklineError.isInstance(error)) throw error;
        const kind = dialect.kindOf(error);
        if (kind === "conflict" && retries && conflicts < maxConflicts) {
          conflicts += 1;
          await sleep(Math.random() * 10 * conflicts);
          continue;
        }
        const wait = reconnectAfterMs[losses];
        if (kind === "lost" && retries && wait !== undefined) {
          losses += 1;
          await sleep(wait);
          continue;
        }
        throw kind === "conflict" || kind === "busy" ? busy(description, error) : dialect.toStoreError(error);
      }
    }
  };
}
