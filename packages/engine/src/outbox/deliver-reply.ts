import { newId } from "../identifiers.ts";
import type { Closing } from "../runs/closing.ts";
import { addDelivery } from "./new-delivery.ts";

/** Posts a run's own text, only where an inbound message caused the run; tells of an interrupted one. */
export function deliverReply(closing: Closing): void {
  const { draft, run, session, spoken, ending, now } = closing;
  if (spoken !== null && run.replyRoute) {
    addDelivery(
      draft,
      { cause: `reply:${run.id}`, session, runId: run.id, kind: "reply", route: run.replyRoute, body: spoken },
      now,
    );
  }
  if (ending.state !== "interrupted" || (run.kind !== "inbound" && !run.replyRoute)) return;
  const text =
    "The last message was interrupted by a restart before it was answered. Send it again if it still matters.";
  draft.session(session.id).append({
    from: "outside",
    messages: [
      {
        id: newId(),
        role: "system",
        class: 0,
        body: { content: text },
        provenance: { kind: "interrupted", runId: run.id },
        dedupeKey: `interrupted:${run.id}`,
      },
    ],
  });
  if (!run.replyRoute) return;
  addDelivery(
    draft,
    { cause: `interrupted:${run.id}`, session, runId: run.id, kind: "notice", route: run.replyRoute, body: text },
    now,
  );
}
