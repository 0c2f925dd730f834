import type { RunRecord, SessionRecord, SpawnRecord } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import { chainOf, newRun } from "../runs/new-run.ts";
import type { TransactionDraft } from "../transaction-draft.ts";
import { inCreationOrder } from "../yields/plan-yield.ts";

export interface Continuation {
  readonly spawn: SpawnRecord;
  readonly session: SessionRecord;
  /** The children whose completions are the input. */
  readonly children: readonly SpawnRecord[];
  /** A run of the session's lineage, whose chain goes on. */
  readonly cause: RunRecord;
  readonly now: number;
}

/** Continues a sub-agent that ended with children pending, once, when all of them have settled. */
export function queueContinuation(
  draft: TransactionDraft,
  { spawn, session, children, cause, now }: Continuation,
): void {
  const run = newRun(
    {
      id: newId(),
      cause: `continue:${spawn.id}`,
      kind: "continuation",
      lane: "subagent",
      priority: 0,
      ...chainOf(cause),
      spawnId: spawn.id,
      inputIds: inCreationOrder(children).map(({ entryId }) => entryId),
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
    set: { state: "running", continued: 1, currentRunId: run.id },
    add: { version: 1 },
  });
}
