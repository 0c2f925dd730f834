import type { SpawnRecord } from "@trunkline/core";
import type { Closing } from "../runs/closing.ts";
import { addCompletionDelivery } from "./completion-delivery.ts";
import { childrenOfRun, livesInThread, spawnOfChild } from "./read-spawns.ts";

/** Children that ended while this run was going are disposed of now that it has ended without a yield. */
export async function releaseHeldChildren(closing: Closing): Promise<readonly SpawnRecord[]> {
  const { engine, draft, run, session, now } = closing;
  const held = (await childrenOfRun(engine, run.id)).filter((child) => child.held === 1);
  if (held.length === 0) return held;
  const inThread = livesInThread(await spawnOfChild(engine, session.id));
  for (const child of held) {
    const disposed = { spawn: child, requester: session, livesInThread: inThread, now };
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
