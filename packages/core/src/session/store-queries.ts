import type { IndexName } from "./record-tables.ts";
import type { ReadableKind, ReadableRecords } from "./records.ts";
import type { SessionKind } from "./session.ts";
import type { MessageClass, MessageRecord, SessionRecord } from "./session-records.ts";

export type Scalar = string | number | null;

/**
 * `get` reads by primary key (several columns joined with `\n`; an empty key names nothing); `find` walks an index in order.
 * Many that name one row each cost a constant number of statements for each table, however many they are.
 */
export type ReadRequest = {
  [K in ReadableKind]:
    | { readonly get: K; readonly key: string }
    | {
        readonly find: K;
        readonly index: IndexName<K>;
        /** Values of the index's first columns. */
        readonly equals: readonly Scalar[];
        /** Bounds of the next column: `from ≤ value < below`; a bound excludes NULL. */
        readonly from?: Scalar;
        readonly below?: Scalar;
        readonly descending?: boolean;
        readonly limit: number;
      };
}[ReadableKind];

export type ReadResult<R> = R extends { readonly get: infer K extends ReadableKind }
  ? ReadableRecords[K] | undefined
  : R extends { readonly find: infer K extends ReadableKind }
    ? readonly ReadableRecords[K][]
    : never;

export type ReadResults<R extends readonly ReadRequest[]> = { readonly [I in keyof R]: ReadResult<R[I]> };

/** Rows that match any member of the scope. */
export interface SessionScope {
  readonly every?: true;
  readonly ids?: readonly string[];
  readonly descendantsOf?: { readonly id: string; readonly isRoot: boolean };
  readonly agentIds?: readonly string[];
}

export interface SessionListQuery {
  readonly scope: SessionScope;
  readonly archived: boolean;
  readonly kinds?: readonly SessionKind[];
  readonly agentId?: string;
  readonly label?: string;
  readonly pinned?: boolean;
  readonly updatedSince?: number;
  /** Literal, case-insensitive part of key, label, display name, sessionId or model. */
  readonly search?: string;
  readonly limit: number;
  readonly offset?: number;
  /** Rows after this position of the total order (`listRank`, then `sessionKey` by bytes). */
  readonly after?: { readonly listRank: number; readonly sessionKey: string };
}

export interface MessageQuery {
  readonly sessionRow: string;
  /** The first sequence number of the incarnation. */
  readonly firstSeq: number;
  readonly classes: readonly MessageClass[];
  /** `newest` walks backwards from the tail, parked rows first; pages are returned in ascending order either way. */
  readonly from: "newest" | "oldest";
  readonly limit: number;
  readonly offset?: number;
  /** Only rows before (`newest`) or after (`oldest`) this sequence number. */
  readonly beyondSeq?: number;
  /** Leave parked rows out. */
  readonly withoutPending?: true;
  /** Also count all rows that match, without paging. */
  readonly count?: true;
}

export interface MessagePage {
  /** Ascending; a parked row keeps its parked number as `seq` (at or above `firstParkedSeq`). */
  readonly messages: readonly MessageRecord[];
  readonly total?: number;
  /** More rows match beyond this page, in the direction of the walk. */
  readonly more: boolean;
}

/** The newest rows of several transcripts. */
export interface MessageTailsQuery {
  readonly sessions: readonly {
    readonly sessionRow: string;
    /** The first sequence number of the incarnation. */
    readonly firstSeq: number;
  }[];
  readonly classes: readonly MessageClass[];
  /** The most rows of each session. */
  readonly limit: number;
}

/** Parked rows carry this number plus their arrival number. */
export const firstParkedSeq = 2 ** 52;

export interface MessageSearch {
  readonly scope: SessionScope;
  /** Words; a message matches when it holds all of them, whatever their case. */
  readonly words: readonly string[];
  readonly includeTools: boolean;
  readonly archived?: boolean;
  readonly agentId?: string;
  readonly limit: number;
  readonly offset?: number;
}

export interface MessageHit {
  readonly session: SessionRecord;
  readonly message: MessageRecord;
}

export type UsageQuery = { readonly sessionRow: string } | { readonly parentRow: string } | { readonly rootId: string };

export interface UsageTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly nanoUsd: number;
  readonly runs: number;
}

export type PruneRequest =
  | { readonly what: "events"; readonly before: number; readonly keepPerSession: number; readonly limit: number }
  | { readonly what: "runs"; readonly before: number; readonly limit: number }
  | { readonly what: "idempotency"; readonly before: number; readonly limit: number }
  | { readonly what: "session"; readonly sessionRow: string; readonly limit: number };
