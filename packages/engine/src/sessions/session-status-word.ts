import type { SessionRecord, SessionStatus } from "@trunkline/core";

/** The run state of a session, from its row alone. */
export function statusOf(session: SessionRecord): SessionStatus {
  if (session.activeRunId !== null) return "running";
  if (session.queuedRuns > 0) return "queued";
  return session.openYields > 0 ? "yielded" : "idle";
}
