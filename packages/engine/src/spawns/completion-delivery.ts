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
  /** The requester is a sub-agent whose task is done and that lives on in a thread of its own. */
  readonly livesInThread?: boolean;
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
  const route = requester && posts(request) ? completionRoute(requester, spawn.boundRoute, origin) : undefined;
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

/** A top-level session has a chat of its own, and so has a child in mode `session` once it has reported its task. */
function posts({ requester, livesInThread }: CompletionDelivery): boolean {
  return requester?.parentId === null || livesInThread === true;
}

function skipReason(request: CompletionDelivery): string | undefined {
  const { spawn } = request;
  if (request.handedOver) return "handed to the run that waited for it";
  if (!posts(request)) return "handed to the parent agent";
  if (spawn.outcome === "cancelled") return "cancelled";
  if (spawn.skipped === 1) return "the child chose to say nothing";
  return spawn.mode === "session" ? "the child's own thread has its replies" : undefined;
}
