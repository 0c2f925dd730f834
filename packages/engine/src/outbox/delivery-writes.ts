import type { DeliveryRecord, DeliveryState, SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import { whileLeased } from "../dispatch/lease.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";
import type { Failure } from "./classify-failure.ts";

const firstBackOffMs = 15_000;
const longestBackOffMs = 5 * 60_000;

/** Commits the intent to send: from here on a lost process means that nobody knows whether the text was posted. */
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
  tell(draft, delivery, session, "sending", by.now);
}

/** Commits the receipt of one part; the last one makes the text delivered. Only this commit is ever repeated, never the sending. */
export async function finishPart(engine: Engine, id: string, part: number, receipt: readonly string[]): Promise<void> {
  await decide<void>(engine, async () => {
    const [delivery] = await engine.store.read([{ get: "delivery", key: id }]);
    if (delivery?.state !== "sending" || delivery.partsDone !== part) return { answer: undefined };
    const [session] = await engine.store.read([{ get: "session", key: delivery.sessionRow }]);
    if (!session) return { answer: undefined };
    const now = engine.clock.now();
    const draft = createDraft();
    const done = { partsDone: part + 1, receipts: [...delivery.receipts, ...receipt] };
    if (part + 1 < delivery.partsTotal) {
      write(draft, delivery, done);
      return { commit: draft, answer: undefined };
    }
    write(draft, delivery, { ...done, state: "delivered", owner: null, activeRoute: null, endedAt: now });
    tell(draft, { ...delivery, ...done }, session, "delivered", now);
    return { commit: draft, answer: undefined };
  });
}

/** Ends a delivery for good. */
export function endDelivery(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord,
  state: Exclude<DeliveryState, "pending" | "sending" | "delivered">,
  reason: string,
  now: number,
): void {
  write(draft, delivery, { state, reason, owner: null, activeRoute: null, nextAttemptAt: null, endedAt: now });
  tell(draft, delivery, session, state, now, reason);
}

/** Surely not sent: tried again after a back-off of 15 s doubling to 5 min, for 30 min in all; a permanent refusal fails at once. */
export function retryLater(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord,
  failure: Failure,
  now: number,
): void {
  const backOff = Math.min(firstBackOffMs * 2 ** Math.max(delivery.attempts - 1, 0), longestBackOffMs);
  const nextAttemptAt = now + Math.max(backOff, failure.retryAfterMs ?? 0);
  if (failure.class === "permanent" || nextAttemptAt > (delivery.expiresAt ?? now)) {
    fail(draft, delivery, session, failure.reason, now);
    return;
  }
  write(draft, delivery, { state: "pending", reason: failure.reason, owner: null, activeRoute: null, nextAttemptAt });
  tell(draft, delivery, session, "pending", now, failure.reason);
}

/** A text that waited past its lifetime is given up. */
export function expired(draft: TransactionDraft, delivery: DeliveryRecord, session: SessionRecord, now: number): void {
  fail(draft, delivery, session, "not delivered in time", now);
}

function fail(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord,
  reason: string,
  now: number,
): void {
  endDelivery(draft, delivery, session, "failed", reason, now);
  draft.session(session.id).append({
    from: "outside",
    messages: [
      {
        id: newId(),
        role: "system",
        class: 0,
        body: { content: failureNotice(delivery, reason) },
        provenance: { kind: "delivery_failed", ...(delivery.runId === null ? {} : { runId: delivery.runId }) },
        dedupeKey: `delivery-failed:${delivery.id}`,
      },
    ],
  });
}

function failureNotice({ kind, route, body }: DeliveryRecord, reason: string): string {
  const what = kind === "completion" ? `The result of sub-agent session ${sessionKeyIn(body)}` : `The ${kind}`;
  return `${what} could not be posted to ${route?.channel ?? "its channel"}: ${reason}. Its text is kept in the transcript.`;
}

// The stats line of a completion names its session; the notice must name it too (field report B19).
function sessionKeyIn(body: string): string {
  return /sessionKey (\S+)/.exec(body.slice(body.lastIndexOf("\nStats:") + 1))?.[1] ?? "(unknown)";
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
  session: SessionRecord,
  state: DeliveryState,
  now: number,
  reason?: string,
): void {
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
