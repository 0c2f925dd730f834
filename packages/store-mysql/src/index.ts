import type { SessionStore } from "@trunkline/core";
import {
  createKyselyExecutor,
  createServerExecutor,
  createSqlStore,
  type KyselyInstance,
  type SqlExecutor,
  type SqlStore,
} from "@trunkline/store-sql";
import type { Pool } from "mysql2/promise";
import { checkOptions, type TableNames } from "./check-options.ts";
import { checkServer } from "./check-server.ts";
import { describeDatabase } from "./describe-database.ts";
import { poolConnections } from "./mysql-connections.ts";
import { createMysqlDialect } from "./mysql-dialect.ts";
import { mysqlTraits } from "./mysql-traits.ts";
import { openPool } from "./open-pool.ts";

export { mysqlMigrationSql } from "./mysql-migration-sql.ts";

export interface MysqlUrlOptions extends TableNames {
  /** `mysql://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /** How long a lock of another transaction is waited for, in milliseconds, rounded up to seconds; default 30000, then `store_busy`. */
  readonly busyTimeoutMs?: number;
}

export interface MysqlPoolOptions extends TableNames {
  /** A pool of `mysql2/promise`, which stays the caller's to end. With `multipleStatements: true` commits need fewer round trips. */
  readonly pool: Pool;
}

export interface MysqlKyselyOptions extends TableNames {
  /** A Kysely instance on `MysqlDialect`, or a transaction of one: then the store works inside it. */
  readonly kysely: KyselyInstance;
}

export type MysqlStoreOptions = MysqlUrlOptions | MysqlPoolOptions | MysqlKyselyOptions;

const poll = { everyMs: 50, idleEveryMs: 500 };

/**
 * Opens a session store on a MySQL or MariaDB database, which any number of processes may share. Throws
 * `store_unavailable` when the server cannot be reached or used.
 */
export async function createMysqlStore(options: MysqlKyselyOptions): Promise<SqlStore>;
export async function createMysqlStore(options: MysqlStoreOptions): Promise<SessionStore>;
export async function createMysqlStore(options: MysqlStoreOptions): Promise<SessionStore> {
  checkOptions(options);
  if ("kysely" in options) return await openOnKysely(options);
  const owned = "url" in options;
  const pool = owned ? openPool(options) : options.pool;
  const description = describeDatabase(pool);
  const dialect = createMysqlDialect(description, { tablePrefix: options.tablePrefix, readsCommitted: owned });
  const source = poolConnections({ pool, owned });
  return await open(createServerExecutor({ source, dialect, description }), description, options, false, owned);
}

async function openOnKysely(options: MysqlKyselyOptions): Promise<SqlStore> {
  const { kysely } = options;
  const description = `mysql of ${kysely.isTransaction ? "a transaction" : "an instance"} of Kysely`;
  const dialect = createMysqlDialect(description, { tablePrefix: options.tablePrefix, readsCommitted: false });
  return await open(createKyselyExecutor(kysely, dialect, description), description, options, kysely.isTransaction);
}

async function open(
  executor: SqlExecutor,
  description: string,
  { tablePrefix }: TableNames,
  inTransaction: boolean,
  groups = false,
): Promise<SqlStore> {
  try {
    await checkServer(executor, description);
  } catch (error) {
    await executor.close();
    throw error;
  }
  return createSqlStore({
    executor,
    description,
    traits: mysqlTraits,
    capabilities: { shared: true, push: false, transcriptPath: false },
    ...(tablePrefix === undefined ? {} : { tablePrefix }),
    groups,
    ...(inTransaction ? { inTransaction } : { poll }),
  });
}
