import type { Route } from "../delivery/route.ts";
import type { FlowRecord, ProcessRecord, RunRecord, SpawnRecord, YieldRecord } from "./run-records.ts";
import type {
  EpochRecord,
  LineageRecord,
  MessageRecord,
  SessionRecord,
  StateEventRecord,
  WatchRecord,
} from "./session-records.ts";

export type DeliveryState =
  | "pending"
  | "sending"
  | "delivered"
  | "skipped"
  | "suppressed"
  | "undeliverable"
  | "failed"
  | "unknown";

/** One text on its way to a channel; the id is the idempotency key of every attempt. */
export interface DeliveryRecord {
  readonly id: string;
  readonly cause: string;
  readonly sessionRow: string;
  readonly runId: string | null;
  readonly kind: "reply" | "announce" | "completion" | "notice" | "owner";
  readonly route: Route | null;
  readonly routeHash: string | null;
  readonly body: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly expiresAt: number | null;
  readonly owner: string | null;
  /** Cut positions in UTF-16 units, frozen at the first attempt. */
  readonly parts: readonly number[] | null;
  readonly partsTotal: number;
  readonly partsDone: number;
  readonly receipts: readonly string[];
  /** Unique while `sending`: one message at a time for each destination. */
  readonly activeRoute: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly version: number;
}

/** The binding of a channel thread to a session. */
export interface BindingRecord {
  readonly routeHash: string;
  readonly sessionRow: string | null;
  readonly route: Route;
  readonly state: "creating" | "bound";
  readonly owner: string | null;
  readonly expiresAt: number | null;
}

export interface IdempotencyRecord {
  readonly scopeHash: string;
  readonly fingerprint: string;
  readonly runId: string | null;
  readonly result: { readonly [key: string]: unknown } | null;
  readonly expiresAt: number;
}

/** Usage outlives its session: no reference to it. */
export interface UsageRecord {
  readonly id: string;
  readonly runId: string;
  readonly sessionRow: string;
  readonly parentRow: string | null;
  readonly rootId: string;
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly nanoUsd: number;
  readonly at: number;
}

/** A cold follow-up that works in small, repeatable steps. */
export interface JobRecord {
  readonly id: string;
  readonly kind: "cascade" | "cleanup_child" | "purge_session" | "unbind";
  readonly ref: string;
  readonly dueAt: number;
  readonly attempts: number;
  readonly owner: string | null;
}

export interface CounterRecord {
  readonly scope: string;
  readonly used: number;
}

/** The kinds that a transaction writes by key. */
export interface Records {
  readonly run: RunRecord;
  readonly flow: FlowRecord;
  readonly spawn: SpawnRecord;
  readonly yield: YieldRecord;
  readonly delivery: DeliveryRecord;
  readonly watch: WatchRecord;
  readonly binding: BindingRecord;
  readonly idempotency: IdempotencyRecord;
  readonly usage: UsageRecord;
  readonly job: JobRecord;
  readonly process: ProcessRecord;
}
export type RecordKind = keyof Records;

/** The kinds that can be read by key or index; the last ones are written through their session only. */
export interface ReadableRecords extends Records {
  readonly session: SessionRecord;
  readonly message: MessageRecord;
  readonly stateEvent: StateEventRecord;
  readonly lineage: LineageRecord;
  readonly counter: CounterRecord;
  readonly epoch: EpochRecord;
}
export type ReadableKind = keyof ReadableRecords;
