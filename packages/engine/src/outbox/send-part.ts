import type { Engine } from "../engine.ts";
import type { Sending } from "./attempt-delivery.ts";
import { classifyFailure, type Failure, unclear } from "./classify-failure.ts";
import { withinLimit } from "./within-limit.ts";

/** How long a deliverer may take for one request. */
const sendLimitMs = 30_000;

/** What asking a platform came to: its message ids, or why there are none. */
export type PartOutcome = { readonly receipt: readonly string[] } | { readonly failure: Failure };

/** Asks the deliverer to post one part, under a key that is the same on every attempt. */
export async function sendPart(
  engine: Engine,
  { delivery, deliverer, route, texts }: Sending,
  part: number,
  stop: AbortSignal | undefined,
): Promise<PartOutcome> {
  const text = texts[part] ?? "";
  if (text.trim() === "") return { receipt: [] };
  const idempotencyKey = texts.length === 1 ? delivery.id : `${delivery.id}:${part + 1}`;
  const late: PartOutcome = { failure: unclear(`no answer within ${sendLimitMs / 1000} s`) };
  return withinLimit<PartOutcome>(engine, { limitMs: sendLimitMs, late, stop }, async (signal) => {
    try {
      const { messageIds } = await deliverer.send({ route, text }, { idempotencyKey, signal });
      return messageIds.length > 0 ? { receipt: messageIds } : { failure: unclear("the platform gave no message id") };
    } catch (error) {
      return { failure: classifyFailure(error) };
    }
  });
}
