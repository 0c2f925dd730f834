import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";
import type { Sending } from "./attempt-delivery.ts";
import { recordPart } from "./delivery-writes.ts";
import { readSending, untilWritten } from "./own-attempt.ts";

/**
 * Commits the receipt of one part; the last one makes the text delivered. Only this commit is ever repeated, never the
 * sending. `false` when the attempt is no longer this process's: then nothing more of it may be sent.
 */
export async function finishPart(
  engine: Engine,
  sending: Sending,
  part: number,
  receipt: readonly string[],
): Promise<boolean> {
  return untilWritten(engine, sending.owner, () =>
    decide<boolean>(engine, async () => {
      const found = await readSending(engine, sending.delivery.id, sending.owner);
      if (found?.delivery.partsDone === part + 1) return { answer: true };
      if (found?.delivery.partsDone !== part) return { answer: false };
      const draft = createDraft();
      recordPart(draft, found.delivery, found.session, receipt, engine.clock.now());
      return { commit: draft, answer: true };
    }),
  );
}
