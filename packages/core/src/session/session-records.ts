import type { Route } from "../delivery/route.ts";
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
