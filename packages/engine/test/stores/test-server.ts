import { randomUUID } from "node:crypto";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { Client } from "pg";
import { openPlace, type StorePlace, type TestStoreName } from "./store-place.ts";

export type ServerName = Exclude<TestStoreName, "sqlite">;

const serverUrls: { readonly [N in ServerName]: string } = {
  postgres: process.env["POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres",
  mariadb: process.env["MARIADB_URL"] ?? "mysql://root@127.0.0.1:3306/test",
  mysql: process.env["MYSQL_URL"] ?? "mysql://root@127.0.0.1:3307/",
};

/** A database of its own on a test server. */
export interface ServerDatabase {
  readonly place: StorePlace;
  /** Deletes all rows but those of `meta`. */
  empty(): Promise<void>;
  drop(): Promise<void>;
}

/** A migrated database without rows. */
export async function createServerDatabase(store: ServerName): Promise<ServerDatabase> {
  const name = `trunkline_${randomUUID().slice(0, 13).replace("-", "")}`;
  const server = await connect(store, serverUrls[store], "");
  const place: StorePlace = { store, url: urlOf(store, name) };
  await server.run(`create database ${name}`);
  // These databases need not outlive a power cut.
  if (store === "postgres") await server.run(`alter database ${name} set synchronous_commit = off`);
  const created = await openPlace(place);
  await created.migrate();
  await created.close();
  const own = await connect(store, serverUrls[store], name);
  const schema = store === "postgres" ? "current_schema()" : "database()";
  const tables = await own.run(
    `select table_name as name from information_schema.tables where table_schema = ${schema} and table_type = 'BASE TABLE'`,
  );
  const deletes = tables.filter((table) => table["name"] !== "meta").map((table) => `delete from ${table["name"]}`);
  return {
    place,
    empty: async () => void (await own.run(["begin", ...deletes, "commit"].join(";"))),
    async drop() {
      await own.end();
      await server.run(`drop database ${name}${store === "postgres" ? " with (force)" : ""}`);
      await server.end();
    },
  };
}

function urlOf(store: ServerName, database: string): string {
  const url = new URL(serverUrls[store]);
  url.pathname = `/${database}`;
  return url.href;
}

interface Connection {
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  end(): Promise<void>;
}

async function connect(store: ServerName, server: string, database: string): Promise<Connection> {
  if (store === "postgres") {
    const client = new Client({ connectionString: database === "" ? server : urlOf(store, database) });
    await client.connect();
    return {
      run: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
      end: () => client.end(),
    };
  }
  const connection = await createConnection({ uri: urlOf(store, database), multipleStatements: true });
  return {
    run: async (sql) => (await connection.query<RowDataPacket[]>(sql))[0],
    end: () => connection.end(),
  };
}

/** The version of a test server as it tells it; throws where none answers. */
export async function serverVersion(store: ServerName): Promise<string> {
  const server = await connect(store, serverUrls[store], "");
  try {
    const [row] = await server.run("select version() as version");
    return String(row?.["version"]);
  } finally {
    await server.end();
  }
}
