import type { Outcome, SpawnRecord } from "@trunkline/core";
import type { Closing } from "../runs/closing.ts";
import { isSkip } from "../runs/silence.ts";
import { usageTotals } from "../runs/usage.ts";
import { queueChildAnnounce } from "./announce-child.ts";
import { continueOrAnnounce, continueWaiting } from "./continue-child.ts";
import { lastStoredText } from "./last-text.ts";
import { unsettledChildren } from "./read-spawns.ts";
import { settleSpawn } from "./settle-spawn.ts";

/**
 * What follows when a run of a spawned child has ended: its announce step, waiting for its own children, or settling.
 * `held` are the child's own children that had ended while this run was still going.
 */
export async function followChildRun(closing: Closing, held: readonly SpawnRecord[]): Promise<void> {
  const { engine, run, session, spawn, draft, now } = closing;
  if (!spawn || spawn.state === "settled") return;
  if (spawn.state === "announcing") return afterAnnounce(closing, spawn);
  if (closing.ending.state !== "ok") {
    const { outcome, ending } = closing;
    const text = ending.text ?? (await lastStoredText(engine, run)) ?? spawn.captured;
    return settle(closing, spawn, { outcome, text, skipped: false, error: ending.error });
  }
  const captured = closing.spoken ?? spawn.captured;
  if ((await unsettledChildren(engine, session.id)).length > 0) {
    // The last of them decides by this state, so it must not have looked before this commit.
    draft.session(session.id).touchFamily();
    draft.record({
      kind: "spawn",
      key: spawn.id,
      when: { version: spawn.version },
      set: { state: "waiting_children", captured },
      add: { version: 1 },
    });
    return;
  }
  if (held.length > 0) {
    continueOrAnnounce(closing, spawn, { children: held, captured, cause: run });
    return;
  }
  queueChildAnnounce(draft, { spawn, session, captured, cause: run, now });
}

/**
 * A run that is not the child's own, such as a message in its thread, may have been all that kept the child from going on:
 * the last of its children settled while that run was going. `taken` are those that the run's own yield has taken.
 */
export async function continueAfterGuest(closing: Closing, taken: readonly SpawnRecord[]): Promise<void> {
  const { engine, run, session, sessionSpawn: spawn } = closing;
  if (run.spawnId !== null) return;
  if (spawn?.state !== "waiting_children" || (await unsettledChildren(engine, session.id)).length > 0) return;
  await continueWaiting(closing, spawn, taken);
}

// The child's own run had ended well, so whatever becomes of the step, the outcome stays; only a cancel is one.
async function afterAnnounce(closing: Closing, spawn: SpawnRecord): Promise<void> {
  const { ending, spoken } = closing;
  const cancelled = ending.state === "cancelled";
  await settle(closing, spawn, {
    outcome: cancelled ? "cancelled" : "success",
    text: spoken ?? spawn.captured,
    skipped: ending.state === "ok" && ending.text !== null && isSkip(ending.text),
    error: cancelled ? ending.error : undefined,
  });
}

async function settle(
  closing: Closing,
  spawn: SpawnRecord,
  settlement: {
    readonly outcome: Outcome;
    readonly text: string | null;
    readonly skipped: boolean;
    readonly error: string | undefined;
  },
): Promise<void> {
  const { usage } = closing.ending;
  await settleSpawn(closing, spawn, {
    ...settlement,
    extraUsage: usage ? usageTotals(closing, usage) : undefined,
  });
}
