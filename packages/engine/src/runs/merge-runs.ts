import type { RunRecord, SessionRecord } from "@trunkline/core";
import type { TransactionDraft } from "../transaction-draft.ts";

/** Ends queued runs whose inputs another run takes in; whoever waits on them waits on that one from now on. */
export function mergeRuns(
  draft: TransactionDraft,
  session: Pick<SessionRecord, "id">,
  into: Pick<RunRecord, "id">,
  merged: readonly RunRecord[],
  now: number,
): void {
  if (merged.length === 0) return;
  draft.session(session.id).add({ queuedRuns: -merged.length });
  for (const { id, fence } of merged) {
    draft.record({
      kind: "run",
      key: id,
      when: { state: "queued", fence },
      set: { state: "merged", outcome: "success", successorId: into.id, claimableAt: null, endedAt: now },
    });
    draft.hint({ about: "run", id });
  }
}

/** What a run takes in together with the runs that are merged into it. */
export function joinedInput(
  run: RunRecord,
  merged: readonly RunRecord[],
): Pick<RunRecord, "inputIds" | "inputThrough"> {
  const all = [run, ...merged];
  return {
    inputIds: all.flatMap(({ inputIds }) => inputIds),
    inputThrough: Math.max(...all.map(({ inputThrough }) => inputThrough)),
  };
}
