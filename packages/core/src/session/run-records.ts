import type { Route } from "../delivery/route.ts";
import type { Outcome, RunKind, RunLane, RunState, Usage } from "../run/run.ts";

export interface RunRecord {
  readonly id: string;
  readonly sessionRow: string;
  readonly runNo: number;
  /** Unique: `flow:<id>:turn:3`, `resume:<yield>`; a follow-up exists once however often it is attempted. */
  readonly cause: string;
  readonly kind: RunKind;
  readonly lane: RunLane;
  /** 0 ends work that was begun, 1 begins work. */
  readonly priority: number;
  readonly state: RunState;
  readonly outcome: Outcome | null;
  /** Set only for the head of an idle session's queue. */
  readonly claimableAt: number | null;
  readonly deadlineAt: number | null;
  /** The time limit in milliseconds that starts with the run; `null` = none. */
  readonly limitMs: number | null;
  readonly owner: string | null;
  readonly fence: number;
  readonly attempts: number;
  readonly slotLent: number;
  /** The parked number that the run's start may take in. */
  readonly inputThrough: number;
  /** Ids of the messages that are this run's input. */
  readonly inputIds: readonly string[];
  readonly startSeq: number | null;
  readonly replySeq: number | null;
  readonly endSeq: number | null;
  /** The run's own text, raw; `null` when it said nothing. */
  readonly replyText: string | null;
  readonly flowId: string | null;
  readonly spawnId: string | null;
  readonly yieldId: string | null;
  readonly parentRunId: string | null;
  /** The first run of a yield chain: what callers wait on. */
  readonly rootRunId: string;
  readonly chainId: string;
  readonly hop: number;
  /** Session rows of the chain. */
  readonly path: readonly string[];
  /** 1 when the run belongs to a flow that draws on its chain's budget. */
  readonly guarded: number;
  readonly mode: "followup" | "collect" | "steer" | null;
  /** Where an inbound run's own text goes. */
  readonly replyRoute: Route | null;
  readonly successorId: string | null;
  readonly yieldMarked: number;
  readonly yieldNote: string | null;
  readonly causeSessionKey: string | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface ProcessRecord {
  readonly id: string;
  readonly hostTag: string;
  readonly leaseUntil: number;
  readonly dead: number;
}

/** One `sessions_send` with all that follows it: loop turns, then the announce. */
export interface FlowRecord {
  readonly id: string;
  readonly primaryRunId: string;
  readonly requesterRow: string | null;
  readonly requesterRunId: string | null;
  readonly targetRow: string;
  readonly phase: "primary" | "turn" | "announce" | "done";
  readonly turn: number;
  readonly maxTurns: number;
  /** 1 when the exchange ends without an announce step (between a parent and its descendant). */
  readonly silentEnd: number;
  readonly currentRunId: string | null;
  readonly request: string;
  readonly firstReply: string | null;
  readonly latestReply: string | null;
  readonly answerTo: "inline" | "entry" | "none";
  readonly waiterOwner: string | null;
  readonly stoppedBy: "requester_skip" | "target_skip" | "cap" | "silent" | "failed" | "policy" | null;
  readonly chainId: string;
  readonly hop: number;
  readonly guarded: number;
  readonly createdAt: number;
  readonly version: number;
}

/** A spawned child and its completion. */
export interface SpawnRecord {
  readonly id: string;
  /** The child's first run: the completion's key for ever. */
  readonly runId: string;
  readonly childRow: string;
  readonly requesterRow: string;
  readonly requesterRunId: string | null;
  readonly currentRunId: string;
  readonly state: "running" | "waiting_children" | "announcing" | "settled";
  readonly outcome: Outcome | null;
  /** 1 once the child was continued after its own children had settled. */
  readonly continued: number;
  /** 1 while nothing may be posted because the run that spawned the child still goes on. */
  readonly held: number;
  readonly yieldId: string | null;
  /** The message id of the completion entry, chosen at spawn. */
  readonly entryId: string;
  readonly captured: string | null;
  readonly body: string | null;
  readonly skipped: number;
  readonly boundRoute: Route | null;
  readonly originRoute: Route | null;
  readonly cleanup: "keep" | "delete";
  readonly mode: "run" | "session";
  readonly runtime: "subagent" | "acp";
  readonly label: string | null;
  readonly task: string;
  readonly model: string | null;
  readonly error: string | null;
  readonly deliveryId: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  /** When the child is terminal `timeout` whatever it does; runs on through a yield. */
  readonly deadlineAt: number | null;
  readonly settledAt: number | null;
  readonly cleanedAt: number | null;
  readonly version: number;
}

export interface YieldRecord {
  readonly id: string;
  readonly runId: string;
  readonly sessionRow: string;
  readonly state: "waiting" | "resumed" | "cancelled";
  readonly pending: number;
  readonly note: string | null;
  readonly createdAt: number;
}
