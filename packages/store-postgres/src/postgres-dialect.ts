import type { ServerDialect, Statement } from "@trunkline/store-sql";
import { kindOf, toStoreError } from "./postgres-errors.ts";

const plain = (sql: string): Statement => ({ sql, parameters: [] });

export interface PostgresDialectOptions {
  /** Names the database in errors. */
  readonly description: string;
  /** The advisory lock of one schema's migration. */
  readonly lockKey: string;
  /** Each transaction says how long it waits for a lock, in milliseconds; left out where its connection has said so. */
  readonly lockTimeoutMs?: number;
}

/** Transactions as PostgreSQL runs them. */
export function createPostgresDialect({ description, lockKey, lockTimeoutMs }: PostgresDialectOptions): ServerDialect {
  const limit = lockTimeoutMs === undefined ? [] : [plain(`set local lock_timeout = ${Math.ceil(lockTimeoutMs)}`)];
  return {
    begin: [plain("begin isolation level read committed"), ...limit],
    beginSnapshot: [plain("begin isolation level repeatable read read only"), ...limit],
    commit: plain("commit"),
    rollback: plain("rollback"),
    clock: plain("select (extract(epoch from clock_timestamp()) * 1000)::bigint as now"),
    prepares: true,
    guard: (statement, rows) => [guarded(statement, rows)],
    transactionalSchema: true,
    lockMigration: {
      sql: "select 1 as locked from pg_advisory_xact_lock(hashtextextended($1, 0))",
      parameters: [lockKey],
    },
    kindOf,
    toStoreError: (error) => toStoreError(error, description),
  };
}

const guardedTexts = new Map<number, Map<string, string>>();

/** The text that fails to become a number depends on data, so that it is not worked out while planning. */
function guarded({ sql, parameters }: Statement, rows: number): Statement {
  const texts = guardedTexts.get(rows) ?? new Map<string, string>();
  guardedTexts.set(rows, texts);
  let text = texts.get(sql);
  if (text === undefined) {
    const matching = sql.startsWith("select") ? sql : `${sql} returning 1`;
    text = `with w as (${matching}) select ('guard:' || count(*))::int from w having count(*) <> ${rows}`;
    texts.set(sql, text);
  }
  return { sql: text, parameters, expects: "any" };
}
