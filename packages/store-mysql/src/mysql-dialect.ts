import { createHash } from "node:crypto";
import type { ServerDialect, Statement } from "@trunkline/store-sql";
import { kindOf, toStoreError } from "./mysql-errors.ts";

const plain = (sql: string): Statement => ({ sql, parameters: [] });

// A subquery of two rows where one is wanted is the one error that both families raise at will.
const guard = plain(
  "set @trunkline_guard = (select case when row_count() = 1 then 0 else (select 1 union all select 2) end)",
);

const migrationTimeoutSeconds = 60;

/** Transactions as MySQL and MariaDB run them; `lockKey` is what tells one store's migration from another's. */
export function createMysqlDialect(description: string, lockKey: string): ServerDialect {
  // Names of locks end after 64 characters.
  const lock = `trunkline ${createHash("sha256").update(lockKey).digest("hex").slice(0, 40)}`;
  return {
    begin: [plain("set transaction isolation level read committed"), plain("start transaction")],
    beginSnapshot: [plain("set transaction isolation level repeatable read"), plain("start transaction read only")],
    commit: plain("commit"),
    rollback: plain("rollback"),
    clock: plain("select timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000 as now"),
    guard: (statement) => [statement, guard],
    transactionalSchema: false,
    lockMigration: { sql: "select get_lock(?, ?) as locked", parameters: [lock, migrationTimeoutSeconds] },
    unlockMigration: { sql: "select release_lock(?) as released", parameters: [lock] },
    kindOf,
    toStoreError: (error) => toStoreError(error, description),
  };
}
