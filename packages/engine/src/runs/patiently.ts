import { TrunklineError } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { sleepUntilWoken } from "./sleep.ts";

const firstPauseMs = 500;
const longestPauseMs = 10_000;
const passingCodes = ["store_unavailable", "store_busy", "store_contended", "store_outcome_unknown"];

/** The store is away for a while; the same call may well succeed later. */
export function isPassing(error: unknown): boolean {
  return TrunklineError.isInstance(error) && passingCodes.includes(error.code);
}

export interface PatientOptions {
  /** What is being done, for the log. */
  readonly what: string;
  /** Whether it still has to be done; asked before each new try. */
  readonly isWanted: () => boolean;
  /** Ends a pause early. */
  readonly woken?: Promise<void>;
  /** Also tries again after errors that are not the store's. */
  readonly whatever?: true;
}

/** Does something with the store again and again until it is there; rejects when it is no longer wanted, or can never succeed. */
export async function patiently<T>(engine: Engine, options: PatientOptions, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!(options.whatever || isPassing(error)) || !options.isWanted()) throw error;
      engine.logger.warn({ err: error, retryInMs: pauseMs }, `${options.what} could not be stored; it is tried again`);
      await sleepUntilWoken(engine, pauseMs, options.woken ?? never);
      if (!options.isWanted()) throw error;
    }
  }
}

const never = new Promise<void>(() => undefined);
