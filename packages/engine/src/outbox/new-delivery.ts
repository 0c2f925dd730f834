import type { DeliveryRecord, RecordWrite, Route, SessionRecord } from "@trunkline/core";
import { hashOf, newId } from "../identifiers.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

/** How long a text is tried to be delivered. */
export const deliveryLifetimeMs = 30 * 60_000;

export interface DeliveryRequest {
  /** Unique: a text is queued once however often its cause is handled. */
  readonly cause: string;
  readonly session: SessionRecord;
  readonly runId: string | null;
  readonly kind: DeliveryRecord["kind"];
  readonly route: Route | undefined;
  readonly body: string;
  /** Set where the text is recorded but not to be posted. */
  readonly settledAs?: { readonly state: "skipped" | "undeliverable"; readonly reason: string };
}

/** Queues a text for a channel in the same commit as its cause; without a route it is recorded as undeliverable. */
export function addDelivery(draft: TransactionDraft, request: DeliveryRequest, now: number): string {
  const { session, route } = request;
  const id = newId();
  const settled =
    request.settledAs ?? (route ? undefined : { state: "undeliverable" as const, reason: "no route to a channel" });
  const insert: DeliveryRecord = {
    id,
    cause: request.cause,
    sessionRow: session.id,
    runId: request.runId,
    kind: request.kind,
    route: route ?? null,
    routeHash: route ? routeHash(route) : null,
    body: request.body,
    state: settled?.state ?? "pending",
    reason: settled?.reason ?? null,
    attempts: 0,
    nextAttemptAt: settled ? null : now,
    expiresAt: settled ? null : now + deliveryLifetimeMs,
    owner: null,
    parts: null,
    partsTotal: 0,
    partsDone: 0,
    receipts: [],
    activeRoute: null,
    createdAt: now,
    endedAt: settled ? now : null,
    version: 0,
  };
  const write: RecordWrite = { kind: "delivery", insert };
  draft.record(write);
  draft.hint({ about: "delivery", id });
  draft.event({
    type: "delivery_changed",
    at: now,
    sessionKey: session.sessionKey,
    ...(request.runId === null ? {} : { runId: request.runId }),
    agentId: session.agentId,
    text: request.body,
    delivery: {
      id,
      state: insert.state,
      kind: insert.kind,
      parts: 0,
      ...(route ? { channel: route.channel } : {}),
      ...(insert.reason === null ? {} : { reason: insert.reason }),
    },
  });
  return id;
}

/** Identifies a destination: the same chat, account and thread. */
export function routeHash(route: Route): string {
  return hashOf(route.channel, route.accountId ?? null, route.to, route.threadId ?? null);
}
