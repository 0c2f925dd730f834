import type { SpawnRecord } from "@trunkline/core";
import type { Closing } from "../runs/closing.ts";
import { isSkip } from "../runs/silence.ts";
import { queueChildAnnounce } from "./announce-child.ts";
import { queueContinuation } from "./continue-child.ts";
import { settleSpawn } from "./settle-spawn.ts";

/**
 * What follows when a run of a spawned child has ended: its announce step, waiting for its own children, or settling.
 * `held` are the child's own children that had ended while this run was still going.
 */
export async function followChildRun(closing: Closing, held: readonly SpawnRecord[]): Promise<void> {
  const { engine, run, session } = closing;
  if (run.spawnId === null) return;
  const [spawn, own] = await engine.store.read([
    { get: "spawn", key: run.spawnId },
    { find: "spawn", index: "requester", equals: [session.id], limit: 1000 },
  ]);
  if (!spawn || spawn.state === "settled") return;
  if (run.kind === "child_announce") return afterAnnounce(closing, spawn);
  if (closing.ending.state !== "ok") {
    return settle(closing, spawn, closing.ending.text, false);
  }
  const captured = closing.spoken ?? spawn.captured;
  const unsettled = own.some(({ state }) => state !== "settled");
  if (unsettled) {
    write(closing, spawn, { state: "waiting_children", captured });
    return;
  }
  if (held.length > 0 && spawn.continued === 0) {
    queueContinuation(closing.draft, { spawn, session, children: held, cause: run, now: closing.now });
    return;
  }
  queueChildAnnounce(closing.draft, { spawn, session, captured, cause: run, now: closing.now });
}

async function afterAnnounce(closing: Closing, spawn: SpawnRecord): Promise<void> {
  const { ending, spoken } = closing;
  const skipped = ending.state === "ok" && ending.text !== null && isSkip(ending.text);
  await settle(closing, spawn, spoken ?? spawn.captured, skipped);
}

async function settle(closing: Closing, spawn: SpawnRecord, text: string | null, skipped: boolean): Promise<void> {
  const announced = closing.run.kind === "child_announce";
  await settleSpawn(closing, spawn, {
    outcome: announced ? "success" : closing.outcome,
    text,
    skipped,
    error: announced ? undefined : closing.ending.error,
    extraUsage: closing.ending.usage,
  });
}

function write(closing: Closing, spawn: SpawnRecord, set: Partial<SpawnRecord>): void {
  closing.draft.record({ kind: "spawn", key: spawn.id, when: { version: spawn.version }, set, add: { version: 1 } });
}
