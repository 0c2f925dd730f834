import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { test } from "vitest";

/** The test server. */
export const serverUrl = process.env["POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";

/** Whether the test server answers. Where it does not, nothing is run, which is an error under CI and told elsewhere. */
export async function serverAnswers(): Promise<boolean> {
  try {
    await onServer(serverUrl, "select 1");
    return true;
  } catch (cause) {
    const { host } = new URL(serverUrl);
    const message = `NOT RUN: no PostgreSQL at ${host}. Start one there, or name another in POSTGRES_URL.`;
    if (process.env["CI"] === "true") throw new Error(message, { cause });
    console.error(message);
    test.skip(message);
    return false;
  }
}

export interface TestDatabase {
  readonly url: string;
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Deletes all rows but those of `meta`. */
  empty(): Promise<void>;
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
  // These databases need not outlive a power cut.
  await onServer(serverUrl, `alter database ${name} set synchronous_commit = off`);
  const run = (sql: string, parameters: readonly unknown[] = []) => onServer(url.href, sql, parameters);
  return {
    url: url.href,
    run,
    async empty() {
      const tables = await run(
        "select tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema') and tablename <> 'meta'",
      );
      await run(tables.map(({ tablename }) => `delete from ${tablename}`).join(";"));
    },
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
    const { rows } = await client.query<Record<string, unknown>>(sql, [...parameters]);
    return rows;
  } finally {
    await client.end();
  }
}
