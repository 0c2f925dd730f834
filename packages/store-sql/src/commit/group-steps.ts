import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import { later, type Statement, type Steps, type Written } from "../statement.ts";
import { type CommitInput, type CommitOutcome, commitSteps } from "./commit-steps.ts";
import { GuardFailed, require } from "./guard-failed.ts";

/**
 * Whether a commit may share a transaction: it changes one remembered session, and all else that it writes are inserts.
 * With the sessions in order such commits run into no deadlock, and need nothing from the database before they write.
 */
export function mayShare({ transaction, known }: CommitInput): boolean {
  const { sessions = [], records = [], counters = [] } = transaction;
  const [write] = sessions;
  if (write === undefined || sessions.length > 1 || counters.length > 0) return false;
  if (write.lane !== undefined || write.add?.queuedRuns !== undefined) return false;
  if (write.events !== undefined && known?.get(write.id)?.state.watchCount !== 0) return false;
  return records.every((record) => "insert" in record);
}

/** Several commits in one transaction, and what each came to; nothing, in the database too, when one does not hold. */
export function* groupSteps(
  context: SqlContext,
  inputs: readonly CommitInput[],
): Steps<Written<readonly CommitOutcome[]>> {
  try {
    const members = inputs.map((input) => planMember(context, input));
    const inOrder = [...members].sort((a, b) => (a.session < b.session ? -1 : 1));
    yield* lockAtOnce(
      context,
      inOrder.map(({ session }) => session),
    );
    for (const { update } of inOrder) require((yield update).changes === 1);
    for (const insert of inOrder.flatMap(({ inserts }) => inserts).sort(byText)) yield insert;
    const landed = members[0]?.written.landed;
    const value = members.map(({ written }) => written.value);
    return { keep: true, value, refused: [], ...(landed && { landed }) };
  } catch (error) {
    if (error instanceof GuardFailed || context.traits.isUniqueViolation(error)) return { keep: false, value: [] };
    throw error;
  }
}

interface Member {
  readonly session: string;
  readonly update: Statement;
  readonly inserts: readonly Statement[];
  readonly written: Written<CommitOutcome>;
}

function planMember(context: SqlContext, input: CommitInput): Member {
  const writes: Statement[] = [];
  const steps = commitSteps(context, input);
  let next = steps.next();
  while (next.done !== true) {
    writes.push(next.value);
    next = steps.next({ rows: [], changes: 1 });
  }
  const [update, ...inserts] = writes;
  require(update !== undefined && next.value.keep);
  return { session: input.transaction.sessions?.[0]?.id ?? "", update, inserts, written: next.value };
}

/** The transaction waits for none of the sessions for long, since other commits wait with it. */
function* lockAtOnce({ shape, tables, traits }: SqlContext, ids: readonly string[]): Steps<void> {
  const { lockAtOnce: lock } = traits;
  if (lock === undefined) return;
  const slots = ids.map((_, place) => slot<string>(`id${place}`));
  const statement = shape(`group.lock ${ids.length}`, (db) => lock(db, tables.session.name, slots));
  yield later(statement.bind(Object.fromEntries(ids.map((id, place) => [`id${place}`, id]))));
}

/** Inserts of one kind beside each other, so that they become one statement. */
function byText(a: Statement, b: Statement): number {
  return a.sql < b.sql ? -1 : a.sql > b.sql ? 1 : 0;
}
