import type { Row, SqlExecutor, Statement, StatementResult, Steps, Written } from "@trunkline/store-sql";
import type Database from "better-sqlite3";
import { retryBusy } from "./retry-busy.ts";
import { closedError, isBusy } from "./sqlite-errors.ts";
import { createWriteQueue, type WaitingWrite } from "./write-queue.ts";

export interface SqliteExecutorOptions {
  readonly database: Database.Database;
  readonly description: string;
  readonly busyTimeoutMs: number;
  readonly onStatement: ((sql: string) => void) | undefined;
}

/** How long the members of one transaction may take together, in milliseconds. */
const groupMs = 2;

/**
 * Runs each read at once, within one turn of the event loop. Writes of one turn share a transaction, for one commit costs
 * as much as many changes; each is acknowledged when all of them are committed.
 */
export function createSqliteExecutor(options: SqliteExecutorOptions): SqlExecutor {
  const { database, description, busyTimeoutMs, onStatement } = options;
  const prepared = new Map<string, Database.Statement<unknown[], Row>>();
  const retry = { description, budgetMs: busyTimeoutMs };

  function prepare(sql: string): Database.Statement<unknown[], Row> {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare<unknown[], Row>(withOpaqueParameters(sql));
    prepared.set(sql, statement);
    return statement;
  }

  function execute({ sql, parameters }: Statement): StatementResult {
    const statement = prepare(sql);
    onStatement?.(sql);
    if (statement.reader) return { rows: statement.all(...parameters), changes: 0 };
    return { rows: [], changes: statement.run(...parameters).changes };
  }

  function control(sql: "begin" | "begin immediate" | "commit" | "rollback"): void {
    const statement = prepare(sql);
    onStatement?.(sql);
    statement.run();
  }

  function run<T>(steps: () => Steps<T>): T {
    const running = steps();
    let next = running.next();
    while (next.done !== true) {
      let result: StatementResult;
      try {
        result = execute(next.value);
      } catch (error) {
        next = running.throw(error);
        continue;
      }
      next = running.next(result);
    }
    return next.value;
  }

  function inTransaction<T>(begin: "begin" | "begin immediate", steps: () => Steps<T>, keep: (value: T) => boolean): T {
    control(begin);
    try {
      const value = run(steps);
      control(keep(value) ? "commit" : "rollback");
      return value;
    } catch (error) {
      if (database.inTransaction) control("rollback");
      throw error;
    }
  }

  async function open<T>(work: () => T, startedAt?: number): Promise<T> {
    const checked = () => {
      if (!database.open) throw closedError(description);
      return work();
    };
    return await retryBusy(checked, retry, startedAt);
  }

  /** What the first members came to, all in one transaction; undefined, with nothing written, when one of them does not hold. */
  function together(group: readonly WaitingWrite[]): readonly unknown[] | undefined {
    const end = performance.now() + groupMs;
    const values: unknown[] = [];
    control("begin immediate");
    try {
      for (const { steps } of group) {
        const { keep, value } = run(steps);
        if (!keep) throw undone;
        values.push(value);
        if (performance.now() > end) break;
      }
      control("commit");
      return values;
    } catch (error) {
      if (database.inTransaction) control("rollback");
      if (isBusy(error)) throw error;
      return undefined;
    }
  }

  async function alone({ steps, arrivedAt, resolve, reject }: WaitingWrite): Promise<void> {
    const work = () => inTransaction("begin immediate", steps, ({ keep }) => keep);
    await open(work, arrivedAt).then(({ value }) => resolve(value), reject);
  }

  async function commit(group: readonly WaitingWrite[]): Promise<number> {
    const [first, ...more] = group;
    if (first === undefined) return 0;
    if (more.length > 0) {
      try {
        const values = await open(() => together(group), first.arrivedAt);
        for (const [index, value] of (values ?? []).entries()) group[index]?.resolve(value);
        if (values !== undefined) return values.length;
      } catch (error) {
        for (const { reject } of group) reject(error);
        return group.length;
      }
    }
    // A guard that does not hold, or a value that cannot be stored, is its own member's affair.
    for (const member of group) await alone(member);
    return group.length;
  }

  const writes = createWriteQueue(commit);
  let closing = false;

  async function write<T>(steps: () => Steps<Written<T>>): Promise<T> {
    if (closing) throw closedError(description);
    return await writes.push(steps);
  }

  return {
    query: (steps) => open(() => run(steps)),
    snapshot: (steps) => open(() => inTransaction("begin", steps, () => true)),
    write,
    migrate: write,
    clock: () => open(() => Date.now()),
    async close() {
      closing = true;
      await writes.drained();
      prepared.clear();
      database.close();
    },
  };
}

const undone = new Error("a member of a group of writes is undone");

/**
 * SQLite looks at the values of bare parameters when it plans, and so plans a statement anew at every run. Inside a
 * function it does not; a plan for any value is what a prepared statement is for. (No text of ours holds a `?`.)
 */
function withOpaqueParameters(sql: string): string {
  return sql.startsWith("insert") ? sql : sql.replaceAll("?", "ifnull(?, null)");
}
