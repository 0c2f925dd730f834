import type { NewRun, RunRecord } from "@trunkline/core";

/** What a chain of causes carries from run to run: the hop count, the sessions passed, and whether its budget is drawn on. */
export type Chain = Pick<NewRun, "chainId" | "hop" | "path" | "guarded">;

type RequiredFields = "id" | "cause" | "kind" | "lane";

/** A queued run with every other column at its start value. */
export function newRun(fields: Pick<NewRun, RequiredFields> & Chain & Partial<NewRun>, now: number): NewRun {
  return {
    priority: 1,
    state: "queued",
    outcome: null,
    deadlineAt: null,
    limitMs: null,
    owner: null,
    fence: 0,
    attempts: 0,
    slotLent: 0,
    inputIds: [],
    startSeq: null,
    replySeq: null,
    endSeq: null,
    replyText: null,
    flowId: null,
    spawnId: null,
    yieldId: null,
    parentRunId: null,
    rootRunId: fields.id,
    mode: null,
    replyRoute: null,
    successorId: null,
    yieldMarked: 0,
    yieldNote: null,
    causeSessionKey: null,
    errorCode: null,
    error: null,
    model: null,
    usage: null,
    createdAt: now,
    startedAt: null,
    endedAt: null,
    ...fields,
  };
}

/** The chain that a run hands on unchanged: to its loop turns, announce step, resume, children and their completions. */
export function chainOf(run: RunRecord): Chain {
  return { chainId: run.chainId, hop: run.hop, path: run.path, guarded: run.guarded };
}
