import type { SessionWrite } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectFirst } from "../read/select.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";
import type { SessionPlan } from "./session-plan.ts";

/**
 * Makes the head of an idle session's queue claimable and returns its id if it was not so before. Runs after all other
 * writes of the transaction, so that it sees runs that these took out of the queue or put back.
 */
export function* promoteHead(
  context: SqlContext,
  write: SessionWrite,
  plan: SessionPlan,
  at: number,
): Steps<string | null> {
  const { after } = plan;
  if (after.queuedRuns === 0) return null;
  if (after.activeRunId !== null) {
    if (write.lane !== undefined) yield* clearClaimable(context, plan.id);
    return null;
  }
  const queueMoved = write.lane !== undefined || write.add?.queuedRuns !== undefined;
  if (!queueMoved) return plan.claimableRunId;
  const { shape, tables } = context;
  const head = yield* selectFirst(
    shape("commit.head", (db) =>
      db
        .selectFrom(tables.run.name)
        .select(["id", "claimable_at as claimableAt"])
        .where("session_row", "=", slot("session"))
        .where("state", "=", "queued")
        .orderBy("run_no")
        .limit(1),
    ).bind({ session: plan.id }),
  );
  if (head === undefined) return null;
  const id = String(head["id"]);
  if (head["claimableAt"] !== null) return id === plan.claimableRunId ? id : null;
  const promote = shape("commit.promote", (db) =>
    db
      .updateTable(tables.run.name)
      .set({ claimable_at: slot("at") })
      .where("id", "=", slot("id")),
  );
  yield later(promote.bind({ id, at }));
  return id;
}

function* clearClaimable({ shape, tables }: SqlContext, session: string): Steps<void> {
  const clear = shape("commit.clearClaimable", (db) =>
    db
      .updateTable(tables.run.name)
      .set({ claimable_at: null })
      .where("session_row", "=", slot("session"))
      .where("state", "=", "queued")
      .where("claimable_at", "is not", null),
  );
  yield later(clear.bind({ session }));
}
