import type { EpochRecord } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";
import { insertRecord } from "./insert-row.ts";
import type { SessionPlan } from "./session-plan.ts";

/** Notes the first incarnation of a session. */
export function* openEpoch(context: SqlContext, { id, after }: SessionPlan, at: number): Steps<void> {
  const epoch: EpochRecord = {
    sessionId: after.sessionId,
    sessionRow: id,
    firstSeq: after.firstSeq,
    lastSeq: null,
    startedAt: at,
    endedAt: null,
  };
  yield* insertRecord(context, "epoch", epoch);
}

/** Closes the incarnation that a reset ends and opens the next. */
export function* turnEpoch(context: SqlContext, plan: SessionPlan, at: number): Steps<void> {
  const { shape, tables } = context;
  const close = shape("commit.closeEpoch", (db) =>
    db
      .updateTable(tables.epoch.name)
      .set({ last_seq: slot("lastSeq"), ended_at: slot("at") })
      .where("session_id", "=", slot("sessionId")),
  );
  yield later(close.bind({ sessionId: plan.before.sessionId, lastSeq: plan.after.firstSeq - 1, at }));
  yield* openEpoch(context, plan, at);
}
