import type { CommittedSession, RecordWrite, RunRecord, StoreTransaction } from "@trunkline/core";

/** Whether a commit may have left something for a worker: a run to claim, room to claim one, a delivery, a job, a time limit. */
export function bringsWork({ sessions = [], records = [], counters = [] }: StoreTransaction): boolean {
  return (
    sessions.some(({ enqueue, lane, add }) =>
      lane ? "free" in lane : enqueue !== undefined || add?.queuedRuns !== undefined,
    ) ||
    records.some(isWork) ||
    counters.some(({ by }) => by < 0)
  );
}

function isWork(write: RecordWrite): boolean {
  if (write.kind === "delivery" || write.kind === "job") return true;
  const fields = "insert" in write ? write.insert : "set" in write ? write.set : undefined;
  return fields !== undefined && "deadlineAt" in fields && fields.deadlineAt !== null;
}

/** The runs that a commit has made claimable as it queued them, as they are now. */
export function queuedHeads(
  { at, sessions = [] }: StoreTransaction,
  committed: readonly CommittedSession[],
): readonly RunRecord[] {
  const heads: RunRecord[] = [];
  for (const { id, lastRunNo, claimableRunId, parked } of committed) {
    const queued = sessions.find((write) => write.id === id)?.enqueue ?? [];
    const place = queued.findIndex((run) => run.id === claimableRunId);
    const head = queued[place];
    // A parked message waits for its turn with others, perhaps.
    if (head === undefined || parked) continue;
    const runNo = lastRunNo - (queued.length - 1 - place);
    heads.push({ ...head, sessionRow: id, runNo, claimableAt: at, inputThrough: 0 });
  }
  return heads;
}
