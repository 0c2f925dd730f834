import type { SessionStore } from "@trunkline/core";
import { createServerExecutor, createSqlStore } from "@trunkline/store-sql";
import { Pool } from "pg";
import { checkServer } from "./check-server.ts";
import { describePool } from "./describe-pool.ts";
import { poolConnections } from "./postgres-connections.ts";
import { createPostgresDialect } from "./postgres-dialect.ts";
import { postgresTraits } from "./postgres-traits.ts";

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most; default 10. One more listens for hints. */
  readonly poolSize?: number;
  /** Put before every table's name. */
  readonly tablePrefix?: string;
  /** The schema that holds the tables, made by the first migration; default: the first of the connection's search path. */
  readonly schema?: string;
}

/** Opens a session store on a PostgreSQL database, which any number of processes may share. */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    pipeline: true,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  const description = describePool(pool);
  const source = poolConnections({ pool, owned: true, named: true });
  const dialect = createPostgresDialect(description, `trunkline ${options.tablePrefix ?? ""}`);
  const executor = createServerExecutor({ source, dialect, description });
  try {
    await checkServer(executor, description);
  } catch (error) {
    await executor.close();
    throw error;
  }
  return createSqlStore({
    executor,
    traits: postgresTraits,
    description,
    capabilities: { shared: true, push: false, transcriptPath: false },
    ...(options.tablePrefix === undefined ? {} : { tablePrefix: options.tablePrefix }),
    poll: { everyMs: 50, idleEveryMs: 500, hasNews: () => true },
  });
}
