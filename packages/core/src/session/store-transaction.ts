import type { MessageRole, Provenance } from "./message.ts";
import type { RecordKind, Records } from "./records.ts";
import type { RunRecord } from "./run-records.ts";
import type { SessionKind } from "./session.ts";
import type { MessageBody, MessageClass, SessionRecord, StateEventRecord } from "./session-records.ts";

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
  /**
   * `take` needs a free lane, `free` needs exactly this active run; both fail the commit otherwise. They leave `queuedRuns`
   * alone: a claim also adds -1, a run put back +1, like whatever takes a run out of the queue. `enqueue` counts by itself.
   */
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

/** The events that open a notice for watchers. */
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
