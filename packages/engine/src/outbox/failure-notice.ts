import type { DeliveryRecord, SessionRecord } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

/** The one entry that tells a session of a text that could not be posted; its text is never quoted. */
export function addFailureNotice(
  draft: TransactionDraft,
  delivery: DeliveryRecord,
  session: SessionRecord,
  reason: string,
): void {
  draft.session(session.id).append({
    from: "outside",
    messages: [
      {
        id: newId(),
        role: "system",
        class: 0,
        body: { content: noticeText(delivery, reason) },
        provenance: { kind: "delivery_failed", ...(delivery.runId === null ? {} : { runId: delivery.runId }) },
        dedupeKey: `delivery-failed:${delivery.id}`,
      },
    ],
  });
}

function noticeText({ kind, route, body }: DeliveryRecord, reason: string): string {
  const what = kind === "completion" ? `The result of sub-agent session ${sessionKeyIn(body)}` : `The ${kind}`;
  const parts = `${what} could not be posted to ${route?.channel ?? "its channel"}: ${reason}.`;
  return `${parts} Its text is kept in the transcript.`;
}

// The stats line of a completion names its session, and the notice must name it too.
function sessionKeyIn(body: string): string {
  return /sessionKey (\S+)/.exec(body.slice(body.lastIndexOf("\nStats:") + 1))?.[1] ?? "(unknown)";
}
