import { randomUUID } from "node:crypto";
import { Client } from "pg";

export const serverUrl = process.env["POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";

export interface TestDatabase {
  readonly url: string;
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Ends every other connection to the database, as a restart of the server does. */
  cutConnections(): Promise<void>;
  drop(): Promise<void>;
}

/** An empty database of its own on the test server. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `trunkline_${randomUUID().slice(0, 13).replace("-", "")}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await onServer(serverUrl, `create database ${name}`);
  const run = (sql: string, parameters: readonly unknown[] = []) => onServer(url.href, sql, parameters);
  return {
    url: url.href,
    run,
    async cutConnections() {
      await onServer(serverUrl, "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    },
    async drop() {
      await onServer(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

async function onServer(url: string, sql: string, parameters: readonly unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...parameters])).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
