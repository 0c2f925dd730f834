import { randomUUID } from "node:crypto";
import type {
  DeliveryRecord,
  IdempotencyRecord,
  MessageClass,
  MessageContent,
  NewMessageRow,
  NewRun,
  NewSession,
  UsageRecord,
  WatchRecord,
} from "@trunkline/core";

/** The time of most writes in the cases. */
export const start = Date.UTC(2026, 0, 1);

export const newId = (): string => randomUUID();

export function sessionRow(over: Partial<NewSession> = {}): NewSession {
  const id = newId();
  return {
    sessionKey: `agent:main:direct:${id}`,
    sessionId: id,
    agentId: "main",
    kind: "other",
    channel: "webchat",
    ...over,
  };
}

export function messageRow(
  content: MessageContent,
  over: Partial<NewMessageRow> & { readonly class?: MessageClass } = {},
): NewMessageRow {
  return { id: newId(), role: "user", class: 0, body: { content }, ...over };
}

export function runRow(over: Partial<NewRun> = {}): NewRun {
  const id = over.id ?? newId();
  return {
    id,
    cause: `test:${id}`,
    kind: "inbound",
    lane: "main",
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
    rootRunId: id,
    chainId: id,
    hop: 0,
    path: [],
    guarded: 0,
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
    createdAt: start,
    startedAt: null,
    endedAt: null,
    ...over,
  };
}

export function deliveryRow(sessionRowId: string, over: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const id = newId();
  return {
    id,
    cause: `test:${id}`,
    sessionRow: sessionRowId,
    runId: null,
    kind: "reply",
    route: { channel: "slack", to: "C1" },
    routeHash: null,
    body: "text",
    state: "pending",
    reason: null,
    attempts: 0,
    nextAttemptAt: start,
    expiresAt: null,
    owner: null,
    parts: null,
    partsTotal: 0,
    partsDone: 0,
    receipts: [],
    activeRoute: null,
    createdAt: start,
    endedAt: null,
    version: 0,
    ...over,
  };
}

export function watchRow(watcherRow: string, targetRow: string, over: Partial<WatchRecord> = {}): WatchRecord {
  return {
    id: newId(),
    watcherRow,
    targetRow,
    lastSeen: 0,
    notified: 0,
    material: 0,
    isOpen: 0,
    explicit: 1,
    ...over,
  };
}

export function idempotencyRow(over: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return { scopeHash: newId(), fingerprint: "f", runId: null, result: null, expiresAt: start, ...over };
}

export function usageRow(over: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id: newId(),
    runId: newId(),
    sessionRow: newId(),
    parentRow: null,
    rootId: newId(),
    model: "m",
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    nanoUsd: 0,
    at: start,
    ...over,
  };
}
