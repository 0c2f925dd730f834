import type { Route } from "../delivery/route.ts";
import type { Outcome, RunKind, RunLane, RunState, Usage } from "../run/run.ts";
import type { MessageContent, MessageRole, Provenance } from "./message.ts";
import type { SessionKind } from "./session.ts";

/**
 * The rows of the store, `null` where a value is absent. Times are milliseconds since the epoch, flags 0 or 1,
 * costs nano-dollars. The tables and why they look so: `docs/decisions/2026-12-01-tables.md`.
 */
export interface SessionRecord {
  readonly id: string;
  readonly sessionKey: string;
  /** The incarnation: a reset gives a new one. */
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: SessionKind;
  readonly channel: string;
  readonly label: string | null;
  readonly displayName: string | null;
  readonly model: string | null;
  readonly thinking: string | null;
  readonly settings: SessionSettings;
  readonly sandboxed: number;
  readonly rootId: string;
  readonly parentId: string | null;
  readonly spawnDepth: number;
  /** The stored external route; internal surfaces never replace it. */
  readonly route: Route | null;
  /** Where the session was made. */
  readonly origin: Route | null;
  readonly lastChannel: string | null;
  readonly lastTo: string | null;
  readonly lastAccount: string | null;
  /** 0 live, 1 archived, 2 deleted (and in no list). */
  readonly archived: number;
  readonly pinned: number;
  readonly deletedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** `-updatedAt`, less 10^15 when pinned: pinned first, newest first, in one ascending integer. */
  readonly listRank: number;
  /** The last message from a human, for idle resets. */
  readonly lastHumanAt: number | null;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly pendingNo: number;
  readonly pendingRows: number;
  /** Message ids of the incarnation's first human message and of its newest shown text. */
  readonly titleMessage: string | null;
  readonly lastMessage: string | null;
  readonly lastRunNo: number;
  readonly queuedRuns: number;
  readonly activeRunId: string | null;
  readonly activeFence: number;
  readonly stateVersion: number;
  readonly eventsPrunedTo: number;
  readonly familyVersion: number;
  readonly openYields: number;
  readonly sendPolicy: "allow" | "deny" | null;
  readonly goal: string | null;
  readonly abortedLastRun: number;
  readonly systemSent: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly contextTokens: number;
  readonly watchCount: number;
  readonly version: number;
}

/** Rarely read settings of a session. */
export interface SessionSettings {
  readonly verboseLevel?: string;
  /** The agent's own instructions given at spawn, beside the configured prompt. */
  readonly systemPrompt?: string;
}

export interface MessageRecord {
  readonly sessionRow: string;
  readonly seq: number;
  readonly id: string;
  readonly role: MessageRole;
  /** 0 shown, 1 tool result, 2 hidden (a reply that is exactly a skip word). */
  readonly class: MessageClass;
  readonly runId: string | null;
  readonly provenance: Provenance | null;
  readonly body: MessageBody;
  readonly bytes: number;
  readonly createdAt: number;
  /** Unique in its session, `null` for ordinary rows: an entry or a notice exists once by constraint. */
  readonly dedupeKey: string | null;
}

export type MessageClass = 0 | 1 | 2;

export interface MessageBody {
  readonly content: MessageContent;
  readonly toolCallId?: string;
  readonly isError?: boolean;
  /** The stored text could not be decoded. */
  readonly unreadable?: true;
}

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

export interface StateEventRecord {
  readonly sessionRow: string;
  readonly version: number;
  readonly kind: StateEventKind;
  readonly actorKind: "human" | "agent" | "system";
  readonly actorId: string | null;
  readonly data: { readonly outcome?: string; readonly childSessionKey?: string };
  readonly at: number;
}

export type StateEventKind =
  | "created"
  | "human_direct_message"
  | "goal_changed"
  | "child_spawned"
  | "run_completed"
  | "run_failed"
  | "compacted"
  | "reset"
  | "archived";

/** A watcher's cursor on a target: `lastSeen ≤ notified ≤ material ≤` the target's state version. */
export interface WatchRecord {
  readonly id: string;
  readonly watcherRow: string;
  readonly targetRow: string;
  readonly lastSeen: number;
  readonly notified: number;
  readonly material: number;
  readonly isOpen: number;
  /** 1 when asked for, 0 when a spawn made it. */
  readonly explicit: number;
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

export interface LineageRecord {
  readonly ancestorId: string;
  readonly descendantId: string;
  readonly distance: number;
}

/** An old or current incarnation of a session, for raw exports. */
export interface EpochRecord {
  readonly sessionId: string;
  readonly sessionRow: string;
  readonly firstSeq: number;
  readonly lastSeq: number | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
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
