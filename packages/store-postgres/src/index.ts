import { randomUUID } from "node:crypto";
import type { SessionStore } from "@trunkline/core";
import {
  createKyselyExecutor,
  createServerExecutor,
  createSqlStore,
  type KyselyInstance,
  type SqlExecutor,
  type SqlStore,
  type SqlStoreOptions,
} from "@trunkline/store-sql";
import { Client, Pool, type PoolConfig } from "pg";
import { checkOptions, type TableNames } from "./check-options.ts";
import { checkServer } from "./check-server.ts";
import { describeDatabase } from "./describe-database.ts";
import { channelName, createNotifyChannel, notifyStatements } from "./notify-channel.ts";
import { poolConnections } from "./postgres-connections.ts";
import { createPostgresDialect } from "./postgres-dialect.ts";
import { postgresTraits } from "./postgres-traits.ts";

export { postgresMigrationSql } from "./postgres-migration-sql.ts";

export interface PostgresUrlOptions extends TableNames {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most; default 10. One more listens for hints. */
  readonly poolSize?: number;
  /** How long a lock of another transaction is waited for, in milliseconds; default 30000, then `store_busy`. */
  readonly busyTimeoutMs?: number;
  /** A pooler hands out another connection for each transaction: no LISTEN, no prepared statements, no session settings. */
  readonly transactionPooler?: boolean;
}

export interface PostgresPoolOptions extends TableNames {
  /** A pool of `pg`, which stays the caller's to end. */
  readonly pool: Pool;
  /** The pool's connections come from a pooler that hands out another one for each transaction. */
  readonly transactionPooler?: boolean;
}

export interface PostgresKyselyOptions extends TableNames {
  /** A Kysely instance on `PostgresDialect`, or a transaction of one: then the store works inside it. */
  readonly kysely: KyselyInstance;
}

export type PostgresStoreOptions = PostgresUrlOptions | PostgresPoolOptions | PostgresKyselyOptions;

/**
 * Opens a session store on a PostgreSQL database, which any number of processes may share. Throws `store_unavailable`
 * when the server cannot be reached or used.
 */
export async function createPostgresStore(options: PostgresKyselyOptions): Promise<SqlStore>;
export async function createPostgresStore(options: PostgresStoreOptions): Promise<SessionStore>;
export async function createPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  checkOptions(options);
  if ("kysely" in options) return await openOnKysely(options);
  return await openOnPool(options);
}

const defaultBusyTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;

async function openOnPool(options: PostgresUrlOptions | PostgresPoolOptions): Promise<SessionStore> {
  const pooled = options.transactionPooler ?? false;
  const owned = !("pool" in options);
  const busyTimeoutMs = owned ? (options.busyTimeoutMs ?? defaultBusyTimeoutMs) : undefined;
  const pool = owned
    ? openPool(options, pooled ? {} : { lock_timeout: busyTimeoutMs, application_name: "trunkline" })
    : options.pool;
  const description = describeDatabase(pool);
  const executor = createServerExecutor({
    source: poolConnections({ pool, owned, named: !pooled }),
    dialect: createPostgresDialect({
      description,
      lockKey: tablesOf(options),
      ...(pooled && busyTimeoutMs !== undefined ? { lockTimeoutMs: busyTimeoutMs } : {}),
    }),
    description,
  });
  const poll = pooled ? { everyMs: 50, idleEveryMs: 500 } : { everyMs: 1000, idleEveryMs: 5000 };
  return await open(executor, description, options, {
    capabilities: { shared: true, push: !pooled, transcriptPath: false },
    poll,
    groups: true,
    ...(pooled ? {} : { push: openChannel(pool, tablesOf(options)) }),
  });
}

function openPool({ url, poolSize = 10 }: PostgresUrlOptions, session: PoolConfig): Pool {
  return new Pool({
    connectionString: url,
    max: poolSize,
    keepAlive: true,
    allowExitOnIdle: true,
    connectionTimeoutMillis: connectTimeoutMs,
    ...session,
  });
}

function openChannel(pool: Pool, tables: string) {
  return createNotifyChannel({ createClient: () => new Client(pool.options), channel: channelName(tables) });
}

async function openOnKysely(options: PostgresKyselyOptions): Promise<SqlStore> {
  const description = `postgres of ${options.kysely.isTransaction ? "a transaction" : "an instance"} of Kysely`;
  const dialect = createPostgresDialect({ description, lockKey: tablesOf(options) });
  const executor = createKyselyExecutor(options.kysely, dialect, description);
  const inTransaction = options.kysely.isTransaction;
  return await open(executor, description, options, {
    capabilities: { shared: true, push: false, transcriptPath: false },
    notify: (hints) => notifyStatements(channelName(tablesOf(options)), randomUUID(), hints),
    ...(inTransaction ? { inTransaction } : { poll: { everyMs: 50, idleEveryMs: 500 } }),
  });
}

async function open(
  executor: SqlExecutor,
  description: string,
  { tablePrefix, schema }: TableNames,
  rest: Omit<SqlStoreOptions, "executor" | "description" | "traits" | "tablePrefix" | "schema">,
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
    traits: postgresTraits,
    ...(tablePrefix === undefined ? {} : { tablePrefix }),
    ...(schema === undefined ? {} : { schema }),
    ...rest,
  });
}

function tablesOf({ schema = "", tablePrefix = "" }: TableNames): string {
  return `trunkline ${schema}.${tablePrefix}`;
}
