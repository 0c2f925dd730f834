import type { MessageRecord, RunRecord, SessionRecord, SessionWrite, StateEventRecord } from "@trunkline/core";

/** The columns that a commit reads before it decides. */
export const plannedColumns = [
  "sessionId",
  "archived",
  "pinned",
  "deletedAt",
  "updatedAt",
  "listRank",
  "firstSeq",
  "lastSeq",
  "pendingNo",
  "pendingRows",
  "titleMessage",
  "lastMessage",
  "lastRunNo",
  "queuedRuns",
  "activeRunId",
  "activeFence",
  "stateVersion",
  "familyVersion",
  "openYields",
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "watchCount",
  "version",
] as const satisfies readonly (keyof SessionRecord)[];

export type PlannedColumn = (typeof plannedColumns)[number];

export type SessionState = { -readonly [C in PlannedColumn]: SessionRecord[C] };

export interface ParkedRow {
  readonly id: string;
  readonly seq: number;
}

/** Everything that one `SessionWrite` comes to, worked out before anything is written. */
export interface SessionPlan {
  readonly id: string;
  readonly before: SessionState;
  /** The row after the write. */
  readonly after: SessionState;
  /** Parked rows with the numbers they move to. */
  readonly moves: ParkedRow[];
  readonly copy: TranscriptCopy | undefined;
  /** `bytes` is filled in when they are written. */
  readonly messages: MessageRecord[];
  readonly runs: RunRecord[];
  readonly events: StateEventRecord[];
  /** Versions of notifying events, with the watcher that caused them. */
  readonly notices: { readonly version: number; readonly actorRow: string | null }[];
  claimableRunId: string | null;
  parked: boolean;
}

export interface PlannedWrite {
  readonly write: SessionWrite;
  /** Random, and in the row from now on: no other write of the session leaves the same. */
  readonly stamp: number;
  readonly plan: SessionPlan;
}

/** Rows `fromSeq … throughSeq` of another session, to be numbered from `firstSeq` on. */
export interface TranscriptCopy {
  readonly fromSession: string;
  readonly fromSeq: number;
  readonly throughSeq: number;
  readonly firstSeq: number;
  /** The first part of each new id; the new sequence number is the rest. */
  readonly idPrefix: string;
  readonly titleSeq: number | null;
  readonly lastShownSeq: number | null;
}
