import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";
import type { Sending } from "./attempt-delivery.ts";
import { type Failure, unclear } from "./classify-failure.ts";
import { endDelivery, retryLater } from "./delivery-writes.ts";
import { readSending, untilWritten } from "./own-attempt.ts";

/** Commits what a failed attempt comes to: another attempt later, or its end. */
export async function settleFailure(engine: Engine, { delivery, owner }: Sending, failure: Failure): Promise<void> {
  await untilWritten(engine, owner, () => settle(engine, delivery.id, owner, failure));
}

/** Settles the attempt of a process that is gone: nobody can know what it came to. */
export async function settleLostAttempt(
  engine: Engine,
  { id, owner }: { readonly id: string; readonly owner: string | null },
  reason: string,
): Promise<void> {
  await settle(engine, id, owner, unclear(reason));
}

// An open outcome is tried again only where the deliverer honours the key; else it is `unknown` and never sent again.
async function settle(engine: Engine, id: string, owner: string | null, failure: Failure): Promise<boolean> {
  return decide<boolean>(engine, async () => {
    const found = await readSending(engine, id, owner);
    if (!found) return { answer: false };
    const { delivery, session } = found;
    const deliverer = delivery.route ? engine.deliverers.get(delivery.route.channel) : undefined;
    const now = engine.clock.now();
    const draft = createDraft();
    if (failure.class === "ambiguous" && !deliverer?.capabilities.idempotent) {
      endDelivery(draft, delivery, session, "unknown", failure.reason, now);
    } else {
      retryLater(draft, delivery, session, failure, now);
    }
    return { commit: draft, answer: true };
  });
}
