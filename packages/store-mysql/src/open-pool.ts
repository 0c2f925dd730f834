import { createPool, type Pool } from "mysql2/promise";

const connectTimeoutMs = 10_000;
const lockTimeoutSeconds = 30;

const sessionSettings = [
  "set session transaction isolation level read committed",
  `set session innodb_lock_wait_timeout = ${lockTimeoutSeconds}`,
  "set session sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
].join("; ");

/** A pool whose connections are set up as the store wants them. */
export function openPool(url: string, poolSize: number): Pool {
  const pool = createPool({
    uri: url,
    connectionLimit: poolSize,
    connectTimeout: connectTimeoutMs,
    multipleStatements: true,
    charset: "utf8mb4_bin",
  });
  // The first statement of each connection; should it fail, the connection is of no use to what comes after it either.
  pool.pool.on("connection", (connection) => {
    connection.query(sessionSettings, (error) => {
      if (error) connection.destroy();
    });
  });
  return pool;
}
