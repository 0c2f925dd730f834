import type { SessionStore } from "@trunkline/core";
import { createServerExecutor, createSqlStore } from "@trunkline/store-sql";
import { createPool } from "mysql2/promise";
import { checkServer } from "./check-server.ts";
import { poolConnections } from "./mysql-connections.ts";
import { createMysqlDialect } from "./mysql-dialect.ts";
import { mysqlTraits } from "./mysql-traits.ts";

export interface MysqlStoreOptions {
  /** `mysql://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /** Put before every table's name. */
  readonly tablePrefix?: string;
}

/** Opens a session store on a MySQL or MariaDB database, which any number of processes may share. */
export async function createMysqlStore(options: MysqlStoreOptions): Promise<SessionStore> {
  const { url, poolSize = 10, tablePrefix } = options;
  const pool = createPool({ uri: url, connectionLimit: poolSize, multipleStatements: true, charset: "utf8mb4_bin" });
  const { hostname, port, pathname } = new URL(url);
  const description = `mysql ${hostname}:${port || "3306"}${pathname}`;
  const dialect = createMysqlDialect(description, `${pathname} ${tablePrefix ?? ""}`);
  const executor = createServerExecutor({ source: poolConnections({ pool, owned: true }), dialect, description });
  try {
    await checkServer(executor, description);
  } catch (error) {
    await executor.close();
    throw error;
  }
  return createSqlStore({
    executor,
    traits: mysqlTraits,
    description,
    capabilities: { shared: true, push: false, transcriptPath: false },
    ...(tablePrefix === undefined ? {} : { tablePrefix }),
    poll: { everyMs: 50, idleEveryMs: 500 },
  });
}
