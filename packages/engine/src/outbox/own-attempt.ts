import type { DeliveryRecord, SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { sleepUntilWoken } from "../runs/sleep.ts";

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** A delivery that is being sent by a certain process, with its session where that still exists. */
export interface OwnAttempt {
  readonly delivery: DeliveryRecord;
  readonly session: SessionRecord | undefined;
}

/** The delivery if this owner is still sending it. */
export async function readSending(engine: Engine, id: string, owner: string | null): Promise<OwnAttempt | undefined> {
  const [delivery] = await engine.store.read([{ get: "delivery", key: id }]);
  if (delivery?.state !== "sending" || delivery.owner !== owner) return undefined;
  const [session] = await engine.store.read([{ get: "session", key: delivery.sessionRow }]);
  return { delivery, session };
}

/**
 * Writes down what has happened outside, again and again while the store fails, for as long as this process works under
 * the same lease; `false` when it was not written: whoever takes the process over then finds an open outcome.
 */
export async function untilWritten(engine: Engine, owner: string, write: () => Promise<boolean>): Promise<boolean> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await write();
    } catch (error) {
      engine.logger.error({ err: error }, "the outcome of a delivery could not be written; trying again");
    }
    if (!engine.isStarted() || engine.process.id !== owner) return false;
    await sleepUntilWoken(engine, pauseMs, new Promise(() => undefined));
  }
}
