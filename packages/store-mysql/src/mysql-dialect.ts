import type { ServerDialect, Statement } from "@trunkline/store-sql";
import { expandLargeParameters } from "./large-parameters.ts";
import { kindOf, toStoreError } from "./mysql-errors.ts";

const plain = (sql: string): Statement => ({ sql, parameters: [] });

// One more than the largest number is an error that both families raise at will, and nothing else here comes to it.
const failsIf = (condition: string) => `9223372036854775807 + (${condition})`;
const guard = (rows: number) => plain(`set @trunkline_guard = ${failsIf(`row_count() <> ${rows}`)}`);

const migrationTimeoutSeconds = 60;

export interface MysqlDialectOptions {
  readonly tablePrefix: string | undefined;
  /** All transactions of these connections see what was committed before each statement, without being told. */
  readonly readsCommitted: boolean;
}

/** Transactions as MySQL and MariaDB run them. */
export function createMysqlDialect(
  description: string,
  { tablePrefix = "", readsCommitted }: MysqlDialectOptions,
): ServerDialect {
  // Locks are the server's: the name tells its databases apart, whoever made the connection. It ends after 64 characters.
  const lock = "concat('trunkline ', left(sha2(concat(ifnull(database(), ''), '.', ?), 256), 40))";
  const begin = plain("start transaction");
  return {
    begin: readsCommitted ? [begin] : [plain("set transaction isolation level read committed"), begin],
    beginSnapshot: [plain("set transaction isolation level repeatable read"), plain("start transaction read only")],
    commit: plain("commit"),
    rollback: plain("rollback"),
    clock: plain("select timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000 as now"),
    prepares: false,
    guard: (statement, rows) =>
      statement.sql.startsWith("select") ? [guarded(statement, rows)] : [statement, guard(rows)],
    expand: expandLargeParameters,
    transactionalSchema: false,
    lockMigration: { sql: `select get_lock(${lock}, ?) as locked`, parameters: [tablePrefix, migrationTimeoutSeconds] },
    unlockMigration: { sql: `select release_lock(${lock}) as released`, parameters: [tablePrefix] },
    kindOf,
    toStoreError: (error) => toStoreError(error, description),
  };
}

/** A read that holds its rows; the server counts the rows of an update, but not those of a read. */
function guarded({ sql, parameters }: Statement, rows: number): Statement {
  const counted = `select ${failsIf(`count(*) <> ${rows}`)} from (${sql}) as w`;
  return { sql: `set @trunkline_guard = (${counted})`, parameters };
}
