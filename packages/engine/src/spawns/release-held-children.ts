import type { SpawnRecord } from "@trunkline/core";
import type { Closing } from "../runs/closing.ts";
import { addCompletionDelivery } from "./completion-delivery.ts";
import { livesInThread } from "./read-spawns.ts";

/** Children that ended while this run was going are disposed of now that it has ended without a yield. */
export function releaseHeldChildren({ draft, session, sessionSpawn, children, now }: Closing): readonly SpawnRecord[] {
  const held = children.filter((child) => child.held === 1);
  for (const child of held) {
    const disposed = { spawn: child, requester: session, livesInThread: livesInThread(sessionSpawn), now };
    const deliveryId = addCompletionDelivery(draft, disposed);
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
