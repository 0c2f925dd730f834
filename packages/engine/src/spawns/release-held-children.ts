import type { SpawnRecord } from "@trunkline/core";
import type { Closing } from "../runs/closing.ts";
import { addCompletionDelivery } from "./completion-delivery.ts";
import { childrenOfRun } from "./read-spawns.ts";

/** Children that ended while this run was going are disposed of now that it has ended without a yield. */
export async function releaseHeldChildren(closing: Closing): Promise<readonly SpawnRecord[]> {
  const { engine, draft, run, session, now } = closing;
  const held = (await childrenOfRun(engine, run.id)).filter((child) => child.held === 1);
  for (const child of held) {
    const deliveryId = addCompletionDelivery(draft, { spawn: child, requester: session, now });
    draft.record({
      kind: "spawn",
      key: child.id,
      when: { version: child.version },
      set: { held: 0, deliveryId },
      add: { version: 1 },
    });
  }
  return held;
}
