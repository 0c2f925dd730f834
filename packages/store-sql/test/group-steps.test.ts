import type { SessionWrite, StoreTransaction } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { postgresTraits } from "../../store-postgres/src/postgres-traits.ts";
import { groupSteps, type PlannedCommit, planCommit } from "../src/commit/group-steps.ts";
import { plannedColumns, type SessionState } from "../src/commit/session-plan.ts";
import { createContext } from "../src/context.ts";
import type { Statement, StatementResult } from "../src/statement.ts";

const context = createContext({
  traits: postgresTraits,
  prefix: "",
  schema: undefined,
  feedOrigin: "here",
  notify: undefined,
});
const columns: { readonly [column: string]: unknown } = Object.fromEntries(plannedColumns.map((column) => [column, 0]));

function plan(transaction: Omit<StoreTransaction, "at">, row: Partial<SessionState> = {}): PlannedCommit | undefined {
  const state = { ...(columns as SessionState), activeRunId: null, ...row };
  const known = new Map((transaction.sessions ?? []).map(({ id }) => [id, { state, stamp: 1 }]));
  return planCommit(context, { transaction: { at: 1, ...transaction }, now: 1, known });
}

function writing(write: Omit<SessionWrite, "id">, id = "s"): Omit<StoreTransaction, "at"> {
  return { sessions: [{ id, ...write }] };
}

const run = { id: "r", fence: 1 };
const taken = { activeRunId: "r", activeFence: 1 };

describe("a commit that may share a transaction", () => {
  test("changes one session, and needs no answer from the database", () => {
    expect(plan(writing({ set: { goal: "g" } }))).toBeDefined();
    expect(plan({ ...writing({ lane: { take: run } }), hints: [{ about: "run", id: "r" }] })).toBeDefined();
    expect(plan({ ...writing({}), records: [{ kind: "job", key: "j", set: { owner: "me" } }] })).toBeDefined();
    expect(plan({ ...writing({}), records: [{ kind: "job", key: "j", when: { attempts: 0 } }] })).toBeDefined();
    expect(plan(writing({ lane: { free: run } }), taken)).toBeDefined();
  });

  test("is no other", () => {
    expect(plan({})).toBeUndefined();
    expect(plan({ sessions: [{ id: "s" }, { id: "t" }] })).toBeUndefined();
    expect(plan({ ...writing({}), counters: [{ scope: "c", by: 1 }] })).toBeUndefined();
    // The next run of the queue is looked up.
    expect(plan(writing({ lane: { free: run } }), { ...taken, queuedRuns: 1 })).toBeUndefined();
    expect(plan(writing({ when: { version: 7 } }))).toBeUndefined();
  });
});

/** The statements that are run when each is answered like this, and what comes of them. */
function drive(commits: readonly PlannedCommit[], answer: (statement: Statement) => StatementResult) {
  const statements: string[] = [];
  const steps = groupSteps(context, commits);
  let next = steps.next();
  while (next.done !== true) {
    statements.push(next.value.sql.replace(/^(\S+ (?:into )?"\w+").*/s, "$1"));
    next = steps.next(answer(next.value));
  }
  return { statements, written: next.value };
}

const kept = (commits: readonly (PlannedCommit | undefined)[]) => commits.filter((commit) => commit !== undefined);
const claim = (session: string) =>
  plan({
    ...writing({ lane: { take: { id: `run of ${session}`, fence: 1 } } }, session),
    records: [
      { kind: "process", key: "p", when: { dead: 0 } },
      { kind: "run", key: `run of ${session}`, set: { state: "claimed" } },
    ],
    hints: [{ about: "session", id: session }],
  });

describe("a shared transaction", () => {
  test("locks sessions in their order, then writes each commit in its own order with like beside like", () => {
    const { statements, written } = drive(kept([claim("b"), claim("a")]), () => ({ rows: [], changes: 1 }));
    expect(statements).toEqual([
      expect.stringContaining("lock_timeout"),
      'update "sessions"',
      'update "sessions"',
      expect.stringContaining('from "processes"'),
      expect.stringContaining('from "processes"'),
      'update "runs"',
      'update "runs"',
      'insert into "changes"',
      'insert into "changes"',
    ]);
    expect(written.keep).toBe(true);
  });

  test("holds all of the commits or none, also where statements are answered one by one", () => {
    const commits = kept([claim("a"), claim("b")]);
    for (const missing of ['update "sessions"', 'update "runs"']) {
      const answer = ({ sql }: Statement) => ({ rows: [], changes: sql.startsWith(missing) ? 0 : 1 });
      expect(drive(commits, answer).written).toEqual({ keep: false, value: [] });
    }
  });
});
