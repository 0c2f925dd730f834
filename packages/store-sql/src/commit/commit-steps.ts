import type { CommitResult, CommittedSession, SessionWrite, StoreTransaction } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { Steps, Written } from "../statement.ts";
import { count } from "./count.ts";
import { insertLineage, insertSession, newSessionRecord, readAncestry } from "./create-session.ts";
import { GuardFailed } from "./guard-failed.ts";
import { isReset, planSession } from "./plan-session.ts";
import { promoteHead } from "./promote-head.ts";
import { lockSession, readCopy, readParkedRows } from "./read-session.ts";
import { plannedColumns, type SessionPlan, type SessionState } from "./session-plan.ts";
import { updateSession } from "./update-session.ts";
import { openEpoch, turnEpoch } from "./write-epochs.ts";
import { writeHints } from "./write-hints.ts";
import { writeRecord } from "./write-record.ts";
import { writeSessionRows } from "./write-rows.ts";

/** The whole of `SessionStore.commit`: session rows first, in id order, then what hangs on them, then records, then counters. */
export function* commitSteps(
  context: SqlContext,
  transaction: StoreTransaction,
  now: number,
): Steps<Written<CommitResult>> {
  try {
    const sessions = yield* applyTransaction(context, transaction, now);
    return { keep: true, value: { committed: true, sessions }, refused: { committed: false } };
  } catch (error) {
    if (error instanceof GuardFailed || context.traits.isUniqueViolation(error))
      return { keep: false, value: { committed: false } };
    throw error;
  }
}

function* applyTransaction(
  context: SqlContext,
  transaction: StoreTransaction,
  now: number,
): Steps<readonly CommittedSession[]> {
  const { at } = transaction;
  const planned: { readonly write: SessionWrite; readonly plan: SessionPlan }[] = [];
  for (const write of inLockOrder(transaction.sessions ?? [])) {
    planned.push({ write, plan: yield* writeSession(context, write, at) });
  }
  for (const { write, plan } of planned) {
    if (write.create !== undefined) yield* openEpoch(context, plan, at);
    if (write.create?.parentId !== undefined) yield* insertLineage(context, write.id, write.create.parentId);
    if (isReset(write, plan.before)) yield* turnEpoch(context, plan, at);
    yield* writeSessionRows(context, plan);
  }
  for (const record of transaction.records ?? []) yield* writeRecord(context, record);
  const results = new Map<string, CommittedSession>();
  for (const { write, plan } of planned)
    results.set(plan.id, committed(plan, yield* promoteHead(context, write, plan, at)));
  for (const counter of [...(transaction.counters ?? [])].sort(byScope)) yield* count(context, counter);
  if (transaction.hints !== undefined) yield* writeHints(context, transaction.hints, now);
  return (transaction.sessions ?? []).flatMap(({ id }) => results.get(id) ?? []);
}

/** Rows that exist are locked in id order; new ones follow as given, so that a parent made here precedes its child. */
function inLockOrder(writes: readonly SessionWrite[]): readonly SessionWrite[] {
  if (writes.length < 2) return writes;
  const existing = writes.filter((write) => write.create === undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...existing, ...writes.filter((write) => write.create !== undefined)];
}

function* writeSession(context: SqlContext, write: SessionWrite, at: number): Steps<SessionPlan> {
  const copy = yield* readCopy(context, write);
  if (write.create !== undefined) {
    const created = newSessionRecord(write.id, write.create, yield* readAncestry(context, write.id, write.create), at);
    const before = Object.fromEntries(plannedColumns.map((column) => [column, created[column]])) as SessionState;
    const plan = planSession({ write, before, parkedRows: [], copy, at });
    yield* insertSession(context, created, write, plan);
    return plan;
  }
  const before = yield* lockSession(context, write.id);
  const parkedRows = yield* readParkedRows(context, write, before);
  const plan = planSession({ write, before, parkedRows, copy, at });
  yield* updateSession(context, write, plan);
  return plan;
}

function committed({ id, after, parked }: SessionPlan, claimableRunId: string | null): CommittedSession {
  const { lastSeq, lastRunNo, stateVersion } = after;
  return { id, lastSeq, lastRunNo, stateVersion, claimableRunId, parked };
}

function byScope(a: { readonly scope: string }, b: { readonly scope: string }): number {
  return a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : 0;
}
