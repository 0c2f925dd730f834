import type { MessageRole, Provenance } from "./message.ts";
import type { IndexName } from "./record-tables.ts";
import type {
  MessageBody,
  MessageClass,
  MessageRecord,
  ReadableKind,
  ReadableRecords,
  RecordKind,
  Records,
  RunRecord,
  SessionRecord,
  StateEventRecord,
} from "./records.ts";
import type { SessionKind } from "./session.ts";

/**
 * Durable storage of sessions. A transaction is data: the engine reads, decides and hands over all its writes with
 * guards, and the store applies all or none. No code of the engine runs inside a database transaction.
 *
 * Throws `TrunklineError` only: `store_unavailable`, `store_busy` (after its own retries), `store_too_large`,
 * `store_not_migrated`, `store_schema_newer`, `store_outcome_unknown` (the connection died during a commit).
 */
export interface SessionStore extends AsyncDisposable {
  readonly capabilities: {
    /** Several processes may use the same data. */
    readonly shared: boolean;
    /** Hints of other processes arrive without polling. */
    readonly push: boolean;
    /** Set by stores that keep a transcript as a file. */
    readonly transcriptPath: boolean;
  };
  /** Where the data lies, for people, without credentials, e.g. `sqlite .trunkline/trunkline.db`. */
  readonly description: string;
  /** Brings the schema up to date; safe to repeat and to run in several processes at once. */
  migrate(): Promise<void>;
  /** The schema version found and the one this package writes. */
  schemaVersion(): Promise<{ readonly current: number; readonly latest: number }>;
  close(): Promise<void>;
  /** The database's time in milliseconds. */
  clock(): Promise<number>;
  /** Applies all of it or nothing. Not committed = a guard, a unique rule or a limit did not hold: read and decide again. */
  commit(transaction: StoreTransaction): Promise<CommitResult>;
  /** Several keyed or indexed reads, one snapshot and one round trip where the engine allows. */
  read<const R extends readonly ReadRequest[]>(requests: R): Promise<ReadResults<R>>;
  listSessions(query: SessionListQuery): Promise<readonly SessionRecord[]>;
  readMessages(query: MessageQuery): Promise<MessagePage>;
  searchMessages(query: MessageSearch): Promise<readonly MessageHit[]>;
  sumUsage(query: UsageQuery): Promise<UsageTotals>;
  /** One small batch of retention work. */
  prune(request: PruneRequest): Promise<{ readonly removed: number; readonly more: boolean }>;
  /** Hints of commits, this process's own included (published after the commit); may be late, repeated or lost. */
  subscribe(listener: (hints: readonly WakeHint[]) => void): () => void;
}

export interface WakeHint {
  readonly about: "run" | "delivery" | "session" | "job";
  readonly id: string;
}

export interface StoreTransaction {
  /** The engine's time in milliseconds, used for every `…At` column that the store sets itself. */
  readonly at: number;
  /** At most one for each session; applied in id order, before the records. */
  readonly sessions?: readonly SessionWrite[];
  /** Applied in the given order. */
  readonly records?: readonly RecordWrite[];
  /** Applied last. A counter that would pass `atMost` (or fall below 0) fails the commit. */
  readonly counters?: readonly CounterWrite[];
  /** Published only after the commit. */
  readonly hints?: readonly WakeHint[];
}

export interface CounterWrite {
  readonly scope: string;
  readonly by: number;
  readonly atMost?: number;
}

/**
 * One write of a session row with everything that its row orders. Steps are applied in this order: guards (`when`, and those of
 * `lane`), `create`, `lane.free`, `unpark` of a reset, `set`/`add`, `copy`, `lane.take`, `unpark`, `append`, `enqueue`, `events`;
 * then, if the lane is free, the queued run with the lowest number becomes claimable at `transaction.at`.
 */
export interface SessionWrite {
  readonly id: string;
  /** Makes the row and its lineage rows (from the parent's); an existing key or sessionId fails the commit. */
  readonly create?: NewSession;
  readonly when?: SessionGuard;
  /** `updatedAt` and `pinned` also move `listRank`; `sessionId` (a reset) opens a new epoch and sets `firstSeq`. */
  readonly set?: SessionPatch;
  readonly add?: Partial<Record<SessionCounter, number>>;
  /** Copies the other session's current transcript up to a sequence number (with new ids), for a fork. */
  readonly copy?: { readonly fromSession: string; readonly throughSeq: number };
  /** `take` needs a free lane, `free` needs exactly this active run; both fail the commit otherwise. */
  readonly lane?: { readonly take: RunReference } | { readonly free: RunReference };
  /** Moves parked rows into the sequence, in arrival order: all up to a parked number, or the named ones. */
  readonly unpark?: { readonly through: number } | { readonly ids: readonly string[] };
  readonly append?: readonly AppendGroup[];
  /** The store gives `runNo`, `claimableAt` and `inputThrough`. */
  readonly enqueue?: readonly NewRun[];
  /** The store gives the versions, and moves the target's watches for the kinds in `notifyingEvents`. */
  readonly events?: readonly NewStateEvent[];
  /** `familyVersion + 1`. */
  readonly touchFamily?: true;
}

/** Rows of the active run take the next numbers; rows from outside do so only if the lane is free and nothing waits, else they are parked. */
export interface AppendGroup {
  readonly from: "run" | "outside";
  readonly messages: readonly NewMessageRow[];
}

export interface NewMessageRow {
  readonly id: string;
  readonly role: MessageRole;
  readonly class: MessageClass;
  readonly body: MessageBody;
  readonly provenance?: Provenance;
  readonly runId?: string;
  readonly dedupeKey?: string;
  /** A human's message: the first one of an incarnation becomes its title. */
  readonly human?: true;
}

export interface NewSession {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: SessionKind;
  readonly channel: string;
  readonly parentId?: string;
  readonly fields?: SessionPatch;
}

/** The columns that the engine may set; the store owns the rest. */
export type SessionPatch = Partial<
  Pick<
    SessionRecord,
    | "sessionKey"
    | "sessionId"
    | "channel"
    | "label"
    | "displayName"
    | "model"
    | "thinking"
    | "settings"
    | "sandboxed"
    | "route"
    | "origin"
    | "lastChannel"
    | "lastTo"
    | "lastAccount"
    | "archived"
    | "pinned"
    | "deletedAt"
    | "updatedAt"
    | "lastHumanAt"
    | "sendPolicy"
    | "goal"
    | "abortedLastRun"
    | "systemSent"
    | "inputTokens"
    | "outputTokens"
    | "totalTokens"
    | "contextTokens"
    | "openYields"
  >
>;

export type SessionCounter =
  | "queuedRuns"
  | "openYields"
  | "watchCount"
  | "inputTokens"
  | "outputTokens"
  | "totalTokens";

export interface SessionGuard {
  readonly sessionId?: string;
  readonly archived?: false;
  readonly deleted?: false;
  readonly version?: number;
  readonly familyVersion?: number;
  /** `null` = the lane must be free. */
  readonly activeRun?: RunReference | null;
}

export interface RunReference {
  readonly id: string;
  readonly fence: number;
}

export type NewRun = Omit<RunRecord, "runNo" | "claimableAt" | "inputThrough" | "sessionRow">;

export type NewStateEvent = Pick<StateEventRecord, "kind" | "actorKind" | "actorId" | "data"> & {
  /** The session row whose own watch must not be notified. */
  readonly actorRow?: string;
};

/** The events that open a notice for watchers (contract §5). */
export const notifyingEvents: readonly StateEventRecord["kind"][] = ["human_direct_message", "goal_changed"];

export type RecordWrite = {
  [K in RecordKind]:
    | { readonly kind: K; readonly insert: Records[K] }
    | {
        readonly kind: K;
        readonly key: string;
        readonly when?: RecordGuard<K>;
        readonly set?: Partial<Records[K]>;
        readonly add?: Increments<K>;
        /** True = a row that does not match `when` is left alone instead of failing the commit. */
        readonly optional?: true;
      }
    | {
        readonly kind: K;
        readonly key: string;
        readonly when?: RecordGuard<K>;
        readonly remove: true;
        readonly optional?: true;
      };
}[RecordKind];

/** Equality on columns; `null` matches an absent value; a list matches any of its members. */
export type RecordGuard<K extends RecordKind> = {
  readonly [C in keyof Records[K]]?:
    | Records[K][C]
    | { readonly atMost: number }
    | { readonly atLeast: number }
    | { readonly anyOf: readonly Records[K][C][] };
};

export type Increments<K extends RecordKind> = {
  readonly [C in keyof Records[K] as Records[K][C] extends number ? C : never]?: number;
};

export type CommitResult =
  | { readonly committed: false }
  | { readonly committed: true; readonly sessions: readonly CommittedSession[] };

export interface CommittedSession {
  readonly id: string;
  readonly lastSeq: number;
  readonly lastRunNo: number;
  readonly stateVersion: number;
  /** Id of the run that became claimable, if one did. */
  readonly claimableRunId: string | null;
  readonly parked: boolean;
}

export type Scalar = string | number | null;

/** `get` reads by primary key (several columns joined with `\n`); `find` walks an index in order. */
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

/** Parked rows carry this number plus their arrival number. */
export const firstParkedSeq = 2 ** 52;

export interface MessageSearch {
  readonly scope: SessionScope;
  /** Words; a message matches when it holds all of them, whatever their case. */
  readonly words: readonly string[];
  readonly includeTools: boolean;
  readonly archived?: boolean;
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
