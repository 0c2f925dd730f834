import type { RunRecord, SpawnRecord } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import { chainOf, newRun } from "../runs/new-run.ts";
import { queueChildAnnounce } from "./announce-child.ts";
import type { Settling } from "./completion-entry.ts";
import { childrenOf, inCreationOrder } from "./read-spawns.ts";

/**
 * Goes on with a sub-agent that had ended with children pending, now that all of them have settled: it is continued once
 * with what no yield has taken, and after that it announces. `settling.session` is the sub-agent's; `taken` are children
 * that a yield takes in this very transaction.
 */
export async function continueWaiting(
  settling: Settling,
  spawn: SpawnRecord,
  taken: readonly SpawnRecord[] = [],
): Promise<void> {
  const { engine } = settling;
  const [cause] = await engine.store.read([{ get: "run", key: spawn.currentRunId }]);
  if (!cause) return;
  const all = await childrenOf(engine, settling.session.id);
  const children = all.filter(({ id }) => !taken.some((child) => child.id === id));
  continueOrAnnounce(settling, spawn, { children, captured: spawn.captured, cause });
}

/** One continuation with the children's completions; where there was one already, or nothing to hand over, the announce step. */
export function continueOrAnnounce(
  { draft, session, now }: Settling,
  spawn: SpawnRecord,
  from: {
    readonly children: readonly SpawnRecord[];
    readonly captured: string | null;
    /** A run of the sub-agent's lineage, whose chain goes on. */
    readonly cause: RunRecord;
  },
): void {
  const { captured, cause } = from;
  const handed = inCreationOrder(from.children.filter(({ yieldId }) => yieldId === null));
  if (spawn.continued === 1 || handed.length === 0) {
    queueChildAnnounce(draft, { spawn, session, captured, cause, now });
    return;
  }
  const run = newRun(
    {
      id: newId(),
      cause: `continue:${spawn.id}`,
      kind: "continuation",
      lane: "subagent",
      priority: 0,
      ...chainOf(cause),
      spawnId: spawn.id,
      inputIds: handed.map(({ entryId }) => entryId),
      parentRunId: cause.id,
      model: cause.model,
    },
    now,
  );
  draft.session(session.id).enqueue(run);
  draft.record({
    kind: "spawn",
    key: spawn.id,
    when: { version: spawn.version },
    set: { state: "running", continued: 1, captured, currentRunId: run.id },
    add: { version: 1 },
  });
}
