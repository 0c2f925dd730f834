import type { RunRecord, SpawnRecord } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import type { Closing } from "../runs/closing.ts";
import { chainOf, newRun } from "../runs/new-run.ts";
import { addCompletionDelivery } from "../spawns/completion-delivery.ts";
import { inCreationOrder } from "../spawns/read-spawns.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

/**
 * A run came back after its yield: its children are now awaited by one yield, which resumes when the last has settled.
 * Returns these children.
 */
export function planYield({ draft, run, session, children, now }: Closing): readonly SpawnRecord[] {
  const awaited = children.filter(({ state, held }) => state !== "settled" || held === 1);
  const pending = awaited.filter(({ state }) => state !== "settled").length;
  const yieldId = newId();
  draft.record({
    kind: "yield",
    insert: {
      id: yieldId,
      runId: run.id,
      sessionRow: session.id,
      state: pending === 0 ? "resumed" : "waiting",
      pending,
      note: run.yieldNote,
      createdAt: now,
    },
  });
  for (const child of awaited) {
    const handed =
      child.held === 1
        ? addCompletionDelivery(draft, { spawn: child, requester: session, handedOver: true, now })
        : null;
    draft.record({
      kind: "spawn",
      key: child.id,
      when: { version: child.version },
      set: { yieldId, held: 0, ...(handed === null ? {} : { deliveryId: handed }) },
      add: { version: 1 },
    });
  }
  if (pending > 0) {
    draft.session(session.id).add({ openYields: 1 });
    return awaited;
  }
  const resume = resumeRun(run, yieldId, awaited, now);
  draft.session(session.id).enqueue(resume);
  handOverTo(draft, run, resume.id);
  return awaited;
}

/** Points everything that waits on a yielded run at the run that goes on for it. */
export function handOverTo(draft: TransactionDraft, yielded: RunRecord, runId: string): void {
  const { flowId, spawnId } = yielded;
  draft.record({ kind: "run", key: yielded.id, set: { successorId: runId } });
  draft.hint({ about: "run", id: yielded.id });
  if (flowId !== null) draft.record({ kind: "flow", key: flowId, set: { currentRunId: runId }, add: { version: 1 } });
  if (spawnId !== null)
    draft.record({ kind: "spawn", key: spawnId, set: { currentRunId: runId }, add: { version: 1 } });
}

/** The one run that goes on after a yield; it inherits everything that waits on the run that yielded. */
export function resumeRun(yielded: RunRecord, yieldId: string, awaited: readonly SpawnRecord[], now: number) {
  return newRun(
    {
      id: newId(),
      cause: `resume:${yieldId}`,
      kind: "resume",
      lane: yielded.lane,
      priority: 0,
      ...chainOf(yielded),
      inputIds: inCreationOrder(awaited).map(({ entryId }) => entryId),
      flowId: yielded.flowId,
      spawnId: yielded.spawnId,
      yieldId,
      parentRunId: yielded.id,
      rootRunId: yielded.rootRunId,
      replyRoute: yielded.replyRoute,
      causeSessionKey: yielded.causeSessionKey,
      model: yielded.model,
      limitMs: yielded.limitMs,
    },
    now,
  );
}
