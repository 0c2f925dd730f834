import type { SessionRecord, SpawnRecord } from "@trunkline/core";
import { addDelivery } from "../outbox/new-delivery.ts";
import { completionRoute } from "../outbox/session-route.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

export interface CompletionDelivery {
  /** The settled spawn: its `body`, `skipped` and `outcome` are set. */
  readonly spawn: SpawnRecord;
  /** Who gets it; `undefined` when no ancestor lives. */
  readonly requester: SessionRecord | undefined;
  /** The child's session, which keeps the record when no ancestor lives. */
  readonly child?: SessionRecord;
  /** The completion was handed to a run instead, so nothing is posted. */
  readonly handedOver?: boolean;
  readonly now: number;
}

/** Records what becomes of a completion's text: posted to the top-level requester's route, or why not. */
export function addCompletionDelivery(draft: TransactionDraft, request: CompletionDelivery): string | null {
  const { spawn, requester, now } = request;
  const session = requester ?? request.child;
  if (!session) return null;
  const reason = requester ? skipReason(request) : undefined;
  // What a deleted requester knew of routes is not its ancestor's.
  const origin = requester?.id === spawn.requesterRow ? spawn.originRoute : null;
  const route = requester?.parentId === null ? completionRoute(requester, spawn.boundRoute, origin) : undefined;
  return addDelivery(
    draft,
    {
      cause: `completion:${spawn.runId}`,
      session,
      runId: spawn.runId,
      kind: "completion",
      route,
      body: spawn.body ?? "",
      ...(reason === undefined ? {} : { settledAs: { state: "skipped", reason } }),
    },
    now,
  );
}

function skipReason({ spawn, requester, handedOver }: CompletionDelivery): string | undefined {
  if (handedOver) return "handed to the run that waited for it";
  if (requester?.parentId !== null) return "handed to the parent agent";
  if (spawn.outcome === "cancelled") return "cancelled";
  if (spawn.skipped === 1) return "the child chose to say nothing";
  return spawn.mode === "session" ? "the child's own thread has its replies" : undefined;
}
