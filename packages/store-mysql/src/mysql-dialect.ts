import { createHash } from "node:crypto";
import type { ServerDialect, Statement } from "@trunkline/store-sql";
import { expandLargeParameters } from "./large-parameters.ts";
import { kindOf, toStoreError } from "./mysql-errors.ts";

const plain = (sql: string): Statement => ({ sql, parameters: [] });

// A subquery of two rows where one is wanted is the one error that both families raise at will.
const guard = plain(
  "set @trunkline_guard = (select case when row_count() = 1 then 0 else (select 1 union all select 2) end)",
);

const migrationTimeoutSeconds = 60;

export interface MysqlDialectOptions {
  /** What tells one store's migration from another's. */
  readonly lockKey: string;
  /** All transactions of these connections see what was committed before each statement, without being told. */
  readonly readsCommitted: boolean;
}

/** Transactions as MySQL and MariaDB run them. */
export function createMysqlDialect(
  description: string,
  { lockKey, readsCommitted }: MysqlDialectOptions,
): ServerDialect {
  // Names of locks end after 64 characters.
  const lock = `trunkline ${createHash("sha256").update(lockKey).digest("hex").slice(0, 40)}`;
  const begin = plain("start transaction");
  return {
    begin: readsCommitted ? [begin] : [plain("set transaction isolation level read committed"), begin],
    beginSnapshot: [plain("set transaction isolation level repeatable read"), plain("start transaction read only")],
    commit: plain("commit"),
    rollback: plain("rollback"),
    clock: plain("select timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000 as now"),
    guard: (statement) => [statement, guard],
    expand: expandLargeParameters,
    transactionalSchema: false,
    lockMigration: { sql: "select get_lock(?, ?) as locked", parameters: [lock, migrationTimeoutSeconds] },
    unlockMigration: { sql: "select release_lock(?) as released", parameters: [lock] },
    kindOf,
    toStoreError: (error) => toStoreError(error, description),
  };
}
