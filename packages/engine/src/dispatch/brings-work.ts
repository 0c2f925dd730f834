import type { RecordWrite, StoreTransaction } from "@trunkline/core";

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
