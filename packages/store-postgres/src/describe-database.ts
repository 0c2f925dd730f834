import { Client, type Pool } from "pg";

/** `postgres host:port/database`, without credentials. */
export function describeDatabase(pool: Pool): string {
  const { host, port, database } = new Client(pool.options);
  return `postgres ${host}:${port}/${database ?? ""}`;
}
