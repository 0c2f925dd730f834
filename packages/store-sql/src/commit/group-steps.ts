import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import { isLong, later, type Statement, type Steps, type Written } from "../statement.ts";
import { type CommitInput, type CommitOutcome, commitSteps, refused } from "./commit-steps.ts";
import { GuardFailed, require } from "./guard-failed.ts";

/** A commit whose statements are all known before the first is run. */
export interface PlannedCommit {
  readonly session: string;
  /** The session's update comes first. */
  readonly writes: readonly Statement[];
  readonly written: Written<CommitOutcome>;
}

/**
 * A commit to one remembered session as it can share a transaction with others; undefined when it has to hear from the
 * database first, or is refused already.
 */
export function planCommit(context: SqlContext, input: CommitInput): PlannedCommit | undefined {
  const [session, more] = input.transaction.sessions ?? [];
  if (session === undefined || more !== undefined) return undefined;
  const writes: Statement[] = [];
  const steps = commitSteps(context, input);
  let next = steps.next();
  while (next.done !== true) {
    if (next.value.expects === undefined) return undefined;
    writes.push(next.value);
    next = steps.next({ rows: [], changes: 1 });
  }
  return next.value.keep ? { session: session.id, writes, written: next.value } : undefined;
}

/** A planned commit in a transaction of its own. */
export function* soloSteps(context: SqlContext, { writes, written }: PlannedCommit): Steps<Written<CommitOutcome>> {
  try {
    yield* runAll(writes);
    return written;
  } catch (error) {
    if (isRefusal(context, error)) return { keep: false, value: refused };
    throw error;
  }
}

/** Several commits in one transaction, and what each came to; nothing, in the database too, when one does not hold. */
export function* groupSteps(
  context: SqlContext,
  commits: readonly PlannedCommit[],
): Steps<Written<readonly CommitOutcome[]>> {
  try {
    // Such transactions meet at the rows of sessions alone, and in one order they wait for each other in no circle.
    const inOrder = [...commits].sort((a, b) => (a.session < b.session ? -1 : 1));
    yield* lockAtOnce(context, inOrder);
    yield* runAll(sessionUpdates(context, inOrder));
    yield* runAll(besideTheirLike(inOrder.map(({ writes }) => writes.slice(1))));
    const landed = commits[0]?.written.landed;
    const value = commits.map(({ written }) => written.value);
    return { keep: true, value, refused: [], ...(landed && { landed }) };
  } catch (error) {
    if (isRefusal(context, error)) return { keep: false, value: [] };
    throw error;
  }
}

function* runAll(writes: Iterable<Statement>): Steps<void> {
  for (const write of writes) {
    const { changes, rows } = yield write;
    require(write.expects === "any" || changes === write.expects || rows.length === write.expects);
  }
}

function isRefusal({ traits }: SqlContext, error: unknown): boolean {
  return error instanceof GuardFailed || traits.isUniqueViolation(error);
}

/** The transaction waits for none of the sessions for long, since other commits wait with it. */
function* lockAtOnce({ shape, tables, traits }: SqlContext, commits: readonly PlannedCommit[]): Steps<void> {
  const { lockAtOnce: lock } = traits;
  if (lock === undefined) return;
  const statement = shape(`group.lock ${commits.length}`, (db) => {
    const slots = commits.map((_, place) => slot<string>(`id${place}`));
    return { compile: () => lock(tables.session.name, slots).compile(db) };
  });
  yield later(statement.bind(Object.fromEntries(commits.map(({ session }, place) => [`id${place}`, session]))));
}

/** One each, in the order of the sessions; or one for all that are alike, where the server joins them. */
function sessionUpdates({ traits }: SqlContext, commits: readonly PlannedCommit[]): readonly Statement[] {
  const updates = commits.flatMap(({ writes }) => writes.slice(0, 1));
  const { joinUpdates } = traits;
  if (joinUpdates === undefined) return updates;
  const alike = new Map<string, Statement[]>();
  for (const update of updates.filter((each) => !isLong(each))) {
    const known = alike.get(update.sql);
    if (known === undefined) alike.set(update.sql, [update]);
    else known.push(update);
  }
  const joined = [...alike.values()].flatMap((each) =>
    each.length > 1 ? later(joinUpdates(each), each.length) : each,
  );
  return [...updates.filter(isLong), ...joined];
}

/** All of the lists, each in its own order, with inserts of one kind beside each other: they become one statement. */
function* besideTheirLike(lists: readonly (readonly Statement[])[]): Generator<Statement> {
  const places = lists.map(() => 0);
  const headOf = (list: number) => lists[list]?.[places[list] ?? 0];
  for (;;) {
    const [next] = lists.flatMap((_, list) => headOf(list)?.sql ?? []).sort();
    if (next === undefined) return;
    for (const list of lists.keys()) {
      for (let head = headOf(list); head?.sql === next; head = headOf(list)) {
        yield head;
        places[list] = (places[list] ?? 0) + 1;
      }
    }
  }
}
