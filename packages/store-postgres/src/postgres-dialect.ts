import type { ServerDialect, Statement } from "@trunkline/store-sql";
import { kindOf, toStoreError } from "./postgres-errors.ts";
import { singleStatement } from "./single-statement.ts";

const plain = (sql: string): Statement => ({ sql, parameters: [] });

/** Transactions as PostgreSQL runs them; `lockKey` is the advisory lock of one schema's migration. */
export function createPostgresDialect(description: string, lockKey: string): ServerDialect {
  const singleTexts = new Map<string, string>();
  return {
    begin: [plain("begin isolation level read committed")],
    beginSnapshot: [plain("begin isolation level repeatable read read only")],
    commit: plain("commit"),
    rollback: plain("rollback"),
    clock: plain("select (extract(epoch from clock_timestamp()) * 1000)::bigint as now"),
    guard: (statement) => [guarded(statement)],
    single: (writes) => singleStatement(writes, singleTexts),
    transactionalSchema: true,
    lockMigration: {
      sql: "select 1 as locked from pg_advisory_xact_lock(hashtextextended($1, 0))",
      parameters: [lockKey],
    },
    kindOf,
    toStoreError: (error) => toStoreError(error, description),
  };
}

const guardedTexts = new Map<string, string>();

/** The text that fails to become a number depends on data, so that it is not worked out while planning. */
function guarded({ sql, parameters }: Statement): Statement {
  let text = guardedTexts.get(sql);
  if (text === undefined) {
    text = `with w as (${sql} returning 1) select ('guard:' || count(*))::int from w having count(*) <> 1`;
    guardedTexts.set(sql, text);
  }
  return { sql: text, parameters };
}
