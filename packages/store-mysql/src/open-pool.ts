import { createPool, type Pool } from "mysql2/promise";

const connectTimeoutMs = 10_000;
const defaultBusyTimeoutMs = 30_000;

export interface OpenPoolOptions {
  readonly url: string;
  readonly poolSize?: number;
  readonly busyTimeoutMs?: number;
}

/** A pool whose connections are set up as the store wants them. */
export function openPool({ url, poolSize = 10, busyTimeoutMs = defaultBusyTimeoutMs }: OpenPoolOptions): Pool {
  const pool = createPool({
    uri: url,
    connectionLimit: poolSize,
    connectTimeout: connectTimeoutMs,
    multipleStatements: true,
    charset: "utf8mb4_bin",
    // A stack for each query costs more than the query; errors are wrapped by the store anyway.
    trace: false,
  });
  const settings = [
    "set session transaction isolation level read committed",
    `set session innodb_lock_wait_timeout = ${Math.max(1, Math.ceil(busyTimeoutMs / 1000))}`,
    "set session sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
  ].join("; ");
  // The first statement of each connection; should it fail, the connection is of no use to what comes after it either.
  pool.pool.on("connection", (connection) => {
    connection.query(settings, (error) => {
      if (error) connection.destroy();
    });
  });
  return pool;
}
