import type { Pool } from "mysql2/promise";

/** `mysql host:port/database`, without credentials. */
export function describeDatabase({ pool }: Pool): string {
  const { host = "localhost", port = 3306, database = "" } = connectionConfig(pool.config);
  return `mysql ${host}:${port}/${database}`;
}

interface ConnectionConfig {
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
}

/** The driver's types leave out where a pool keeps what its connections are made with. */
function connectionConfig(config: object): ConnectionConfig {
  return "connectionConfig" in config ? (config.connectionConfig as ConnectionConfig) : {};
}
