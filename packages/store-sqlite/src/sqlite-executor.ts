import type { Row, SqlExecutor, Statement, StatementResult, Steps, Written } from "@trunkline/store-sql";
import type Database from "better-sqlite3";
import { retryBusy } from "./retry-busy.ts";
import { closedError } from "./sqlite-errors.ts";

export interface SqliteExecutorOptions {
  readonly database: Database.Database;
  readonly description: string;
  readonly busyTimeoutMs: number;
  readonly onStatement: ((sql: string) => void) | undefined;
}

/** Runs each operation as one synchronous transaction within one turn of the event loop. */
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

  function inTransaction<T>(begin: string, steps: () => Steps<T>, keep: (value: T) => boolean): T {
    prepare(begin).run();
    try {
      const value = run(steps);
      prepare(keep(value) ? "commit" : "rollback").run();
      return value;
    } catch (error) {
      if (database.inTransaction) prepare("rollback").run();
      throw error;
    }
  }

  async function open<T>(work: () => T): Promise<T> {
    return await retryBusy(() => {
      if (!database.open) throw closedError(description);
      return work();
    }, retry);
  }

  async function write<T>(steps: () => Steps<Written<T>>): Promise<T> {
    return (await open(() => inTransaction("begin immediate", steps, (written) => written.keep))).value;
  }

  return {
    query: (steps) => open(() => run(steps)),
    snapshot: (steps) => open(() => inTransaction("begin", steps, () => true)),
    write,
    migrate: write,
    clock: () => open(() => Date.now()),
    async close() {
      prepared.clear();
      database.close();
    },
  };
}

/**
 * SQLite looks at the values of bare parameters when it plans, and so plans a statement anew at every run. Inside a
 * function it does not; a plan for any value is what a prepared statement is for. (No text of ours holds a `?`.)
 */
function withOpaqueParameters(sql: string): string {
  return sql.startsWith("insert") ? sql : sql.replaceAll("?", "ifnull(?, null)");
}
