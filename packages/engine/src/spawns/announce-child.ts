import type { RunRecord, SessionRecord, SpawnRecord } from "@trunkline/core";
import { announceLimitMs } from "../flows/follow-flow.ts";
import { newId } from "../identifiers.ts";
import { chainOf, newRun } from "../runs/new-run.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

export interface ChildAnnounce {
  readonly spawn: SpawnRecord;
  readonly session: SessionRecord;
  /** The text that becomes the result if the announce step says nothing. */
  readonly captured: string | null;
  readonly cause: RunRecord;
  readonly now: number;
}

/** Queues the one announce step of a child that ended well. */
export function queueChildAnnounce(draft: TransactionDraft, request: ChildAnnounce): void {
  const { spawn, session, captured, cause, now } = request;
  const announce = newRun(
    {
      id: newId(),
      cause: `announce:${spawn.runId}`,
      kind: "child_announce",
      lane: "subagent",
      priority: 0,
      ...chainOf(cause),
      spawnId: spawn.id,
      parentRunId: cause.id,
      limitMs: announceLimitMs,
      model: cause.model,
    },
    now,
  );
  draft.session(session.id).enqueue(announce);
  draft.record({
    kind: "spawn",
    key: spawn.id,
    when: { version: spawn.version },
    set: { state: "announcing", captured, currentRunId: announce.id, deadlineAt: null },
    add: { version: 1 },
  });
}
