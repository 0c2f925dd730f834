import type { SessionStore } from "@trunkline/core";
import { onTestFinished } from "vitest";
import { createMysqlStore, type MysqlUrlOptions } from "../src/index.ts";
import { createDatabase, type TestDatabase, type TestServer } from "./databases.ts";

/** A database that is dropped at the test's end. */
export async function testDatabase(server: TestServer): Promise<TestDatabase> {
  const database = await createDatabase(server);
  onTestFinished(database.drop);
  return database;
}

/** A migrated store on a database of its own. */
export async function testStore(
  server: TestServer,
  options: Partial<MysqlUrlOptions> = {},
): Promise<{ store: SessionStore; database: TestDatabase }> {
  const database = await testDatabase(server);
  return { database, store: await openStore(database, options) };
}

/** Another migrated store on a database, closed at the test's end. */
export async function openStore({ url }: TestDatabase, options: Partial<MysqlUrlOptions> = {}): Promise<SessionStore> {
  const store = await createMysqlStore({ url, poolSize: 2, ...options });
  onTestFinished(() => store.close());
  await store.migrate();
  return store;
}
