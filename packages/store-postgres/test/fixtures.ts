import type { SessionStore } from "@trunkline/core";
import { onTestFinished } from "vitest";
import { createPostgresStore, type PostgresUrlOptions } from "../src/index.ts";
import { createDatabase, type TestDatabase } from "./databases.ts";

/** A database that is dropped at the test's end. */
export async function testDatabase(): Promise<TestDatabase> {
  const database = await createDatabase();
  onTestFinished(database.drop);
  return database;
}

/** A migrated store on a database of its own. */
export async function testStore(
  options: Partial<PostgresUrlOptions> = {},
): Promise<{ store: SessionStore; database: TestDatabase }> {
  const database = await testDatabase();
  return { database, store: await openStore(database, options) };
}

/** Another migrated store on a database, closed at the test's end. */
export async function openStore(
  { url }: TestDatabase,
  options: Partial<PostgresUrlOptions> = {},
): Promise<SessionStore> {
  const store = await createPostgresStore({ url, poolSize: 2, ...options });
  onTestFinished(() => store.close());
  await store.migrate();
  return store;
}
