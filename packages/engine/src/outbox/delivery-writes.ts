import type { DeliveryRecord, DeliveryState, SessionRecord } from "@trunkline/core";
import { whileLeased } from "../dispatch/lease.ts";
import type { TransactionDraft } from "../transaction-draft.ts";
import type { Failure } from "./classify-failure.ts";
import { addFailureNotice } from "./failure-notice.ts";

const firstBackOffMs = 15_000;
const longestBackOffMs = 5 * 60_000;

type EndState = Exclude<DeliveryState, "pending" | "sending" | "delivered">;

/** Commits the intent to send, which holds its destination; the cuts are frozen by the first one. */
export function startSending(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord,
  by: { readonly owner: string; readonly cuts: readonly number[]; readonly now: number },
): void {
  whileLeased(draft, by.owner);
  write(draft, delivery, {
    state: "sending",
    owner: by.owner,
    attempts: delivery.attempts + 1,
    nextAttemptAt: null,
    activeRoute: delivery.routeHash,
    parts: by.cuts,
    partsTotal: by.cuts.length,
  });
  tell(draft, { ...delivery, partsTotal: by.cuts.length }, session, "sending", by.now);
}

/** Counts one more part as posted; the last one makes the text delivered. */
export function recordPart(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord | undefined,
  receipt: readonly string[],
  now: number,
): void {
  const done = { partsDone: delivery.partsDone + 1, receipts: [...delivery.receipts, ...receipt] };
  if (done.partsDone < delivery.partsTotal) {
    write(draft, delivery, done);
    return;
  }
  write(draft, delivery, { ...done, state: "delivered", reason: null, owner: null, activeRoute: null, endedAt: now });
  tell(draft, { ...delivery, ...done }, session, "delivered", now);
}

/** Ends a delivery for good. */
export function endDelivery(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord | undefined,
  state: EndState,
  reason: string,
  now: number,
): void {
  write(draft, delivery, { state, reason, owner: null, activeRoute: null, nextAttemptAt: null, endedAt: now });
  tell(draft, delivery, session, state, now, reason);
}

/**
 * Tried again after a back-off of 15 s doubling to 5 min, for 30 min in all; a permanent refusal fails at once. What stays
 * open when the time is over is `unknown`: it may have been posted.
 */
export function retryLater(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord | undefined,
  failure: Failure,
  now: number,
): void {
  const backOff = Math.min(firstBackOffMs * 2 ** Math.max(delivery.attempts - 1, 0), longestBackOffMs);
  const nextAttemptAt = now + Math.max(backOff, failure.retryAfterMs ?? 0);
  const isOver = nextAttemptAt > (delivery.expiresAt ?? now);
  if (isOver && failure.class === "ambiguous") endDelivery(draft, delivery, session, "unknown", failure.reason, now);
  else if (isOver || failure.class === "permanent") fail(draft, delivery, session, failure.reason, now);
  else {
    write(draft, delivery, { state: "pending", reason: failure.reason, owner: null, activeRoute: null, nextAttemptAt });
    tell(draft, delivery, session, "pending", now, failure.reason);
  }
}

/** Gives a delivery up; one notice in its session's transcript says so. */
export function fail(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord | undefined,
  reason: string,
  now: number,
): void {
  endDelivery(draft, delivery, session, "failed", reason, now);
  if (session && session.deletedAt === null) addFailureNotice(draft, delivery, session, reason);
}

function write(draft: TransactionDraft, delivery: DeliveryRecord, set: Partial<DeliveryRecord>): void {
  draft.record({
    kind: "delivery",
    key: delivery.id,
    when: { state: delivery.state, version: delivery.version },
    set,
    add: { version: 1 },
  });
  draft.hint({ about: "delivery", id: delivery.id });
}

function tell(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord | undefined,
  state: DeliveryState,
  now: number,
  reason?: string,
): void {
  if (!session || session.deletedAt !== null) return;
  draft.event({
    type: "delivery_changed",
    at: now,
    sessionKey: session.sessionKey,
    agentId: session.agentId,
    ...(delivery.runId === null ? {} : { runId: delivery.runId }),
    text: delivery.body,
    durationMs: now - delivery.createdAt,
    delivery: {
      id: delivery.id,
      state,
      kind: delivery.kind,
      parts: delivery.partsTotal,
      ...(delivery.route ? { channel: delivery.route.channel } : {}),
      ...(reason === undefined ? {} : { reason }),
    },
  });
}
