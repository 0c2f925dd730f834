import type { CommitResult, CommittedSession, SessionWrite, StoreTransaction } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { Steps, Written } from "../statement.ts";
import { count } from "./count.ts";
import { insertLineage, insertSession, newSessionRecord, readAncestry } from "./create-session.ts";
import { GuardFailed } from "./guard-failed.ts";
import type { KnownSession, KnownSessions } from "./known-sessions.ts";
import { landedSteps } from "./landed-steps.ts";
import { isReset, planSession } from "./plan-session.ts";
import { promoteHead } from "./promote-head.ts";
import { lockSession, readCopy, readParkedRows } from "./read-session.ts";
import { type PlannedWrite, plannedColumns, type SessionPlan, type SessionState } from "./session-plan.ts";
import { updateSession } from "./update-session.ts";
import { openEpoch, turnEpoch } from "./write-epochs.ts";
import { writeHints } from "./write-hints.ts";
import { writeRecord } from "./write-record.ts";
import { writeSessionRows } from "./write-rows.ts";

export interface CommitInput {
  readonly transaction: StoreTransaction;
  /** The time of the hints. */
  readonly now: number;
  /** Session rows as they were last seen; they are not read again, and the commit is refused should they have changed. */
  readonly known?: KnownSessions | undefined;
}

export interface CommitOutcome {
  readonly result: CommitResult;
  /** The rows of all its sessions afterwards; none of a commit that was refused. */
  readonly rows: KnownSessions;
}

/** What is left of a commit that did not hold. */
export const refused: CommitOutcome = { result: { committed: false }, rows: new Map() };

/** The whole of `SessionStore.commit`: session rows first, in id order, then what hangs on them, then records, then counters. */
export function* commitSteps(context: SqlContext, input: CommitInput): Steps<Written<CommitOutcome>> {
  const planned: PlannedWrite[] = [];
  try {
    const sessions = yield* applyTransaction(context, input, planned);
    const rows = new Map(planned.map(({ plan, stamp }) => [plan.id, { state: plan.after, stamp }]));
    const landed = () => landedSteps(context, input.transaction, planned);
    return { keep: true, value: { result: { committed: true, sessions }, rows }, refused, landed };
  } catch (error) {
    if (error instanceof GuardFailed || context.traits.isUniqueViolation(error)) return { keep: false, value: refused };
    throw error;
  }
}

function* applyTransaction(
  context: SqlContext,
  { transaction, now, known }: CommitInput,
  planned: PlannedWrite[],
): Steps<readonly CommittedSession[]> {
  const { at } = transaction;
  for (const write of inLockOrder(transaction.sessions ?? [])) {
    const stamp = Math.floor(Math.random() * 2 ** 52);
    planned.push({ write, stamp, plan: yield* writeSession(context, write, at, stamp, known?.get(write.id)) });
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

function* writeSession(
  context: SqlContext,
  write: SessionWrite,
  at: number,
  stamp: number,
  known: KnownSession | undefined,
): Steps<SessionPlan> {
  const copy = yield* readCopy(context, write);
  if (write.create !== undefined) {
    const created = newSessionRecord(write.id, write.create, yield* readAncestry(context, write.id, write.create), at);
    const before = Object.fromEntries(plannedColumns.map((column) => [column, created[column]])) as SessionState;
    const plan = planSession({ write, before, parkedRows: [], copy, at });
    yield* insertSession(context, created, write, plan, stamp);
    return plan;
  }
  const before = known?.state ?? (yield* lockSession(context, write.id));
  const parkedRows = yield* readParkedRows(context, write, before);
  const plan = planSession({ write, before, parkedRows, copy, at });
  yield* updateSession(context, write, plan, { known: known?.stamp, next: stamp });
  return plan;
}

function committed({ id, after, parked }: SessionPlan, claimableRunId: string | null): CommittedSession {
  const { lastSeq, lastRunNo, stateVersion } = after;
  return { id, lastSeq, lastRunNo, stateVersion, claimableRunId, parked };
}

function byScope(a: { readonly scope: string }, b: { readonly scope: string }): number {
  return a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : 0;
}
