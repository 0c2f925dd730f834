import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TrunklineError } from "@trunkline/core";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createSqliteStore } from "../src/index.ts";
import { createSessions, fileStore, memoryStore, temporaryDirectory } from "./fixtures.ts";

async function failure(work: Promise<unknown>): Promise<TrunklineError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!TrunklineError.isInstance(error)) throw new Error(`expected a TrunklineError, got ${error}`);
  return error;
}

test("a path whose directory is missing is refused, and no directory is made", async () => {
  const path = join(await temporaryDirectory(), "missing", "store.db");
  const error = await failure(createSqliteStore({ path }));
  expect([error.code, error.message.includes(path), error.fix]).toEqual([
    "store_unavailable",
    true,
    "Create its directory, and let this user read and write there.",
  ]);
});

test("a directory in the file's place is refused", async () => {
  const path = join(await temporaryDirectory(), "store.db");
  await mkdir(path);
  expect((await failure(createSqliteStore({ path }))).code).toBe("store_unavailable");
});

test("a file that is no database is refused and left as it is", async () => {
  const path = join(await temporaryDirectory(), "notes.txt");
  await writeFile(path, "shopping list\n".repeat(200));
  const error = await failure(createSqliteStore({ path }));
  expect([error.code, error.message.includes(path)]).toEqual(["store_unavailable", true]);
  expect(error.fix).toContain("no SQLite database");
});

test("a file that another connection locks for good is store_busy, after the time given", async () => {
  const path = join(await temporaryDirectory(), "store.db");
  const holder = new Database(path);
  holder.pragma("locking_mode = exclusive");
  holder.exec("create table held (id integer); begin exclusive");
  const error = await failure(createSqliteStore({ path, busyTimeoutMs: 60 }));
  expect([error.code, error.retryable]).toEqual(["store_busy", true]);
  holder.close();
});

test("operations before migrate are store_not_migrated, and work after it", async () => {
  const path = join(await temporaryDirectory(), "store.db");
  const store = await createSqliteStore({ path });
  expect(await store.schemaVersion()).toEqual({ current: 0, latest: 1 });
  for (const work of [
    () => store.commit({ at: 1 }),
    () => store.read([{ get: "session", key: "s" }]),
    () => store.listSessions({ scope: { every: true }, archived: false, limit: 1 }),
    () => store.prune({ what: "idempotency", before: 1, limit: 1 }),
  ]) {
    expect((await failure(work())).code).toBe("store_not_migrated");
  }
  await store.migrate();
  await createSessions(store, "s");
  await store.close();
});

test("data of a newer schema is refused by every door", async () => {
  const { store, path } = await fileStore();
  await store.close();
  const database = new Database(path);
  database.exec("update meta set value = '99' where name = 'schema_version'");
  database.close();
  const old = await createSqliteStore({ path });
  expect((await failure(old.migrate())).code).toBe("store_schema_newer");
  expect((await failure(old.read([{ get: "session", key: "s" }]))).code).toBe("store_schema_newer");
  expect(await old.schemaVersion()).toEqual({ current: 99, latest: 1 });
  await old.close();
});

test("a migration that was cut off is taken up again", async () => {
  const { store, path } = await fileStore();
  await store.close();
  const database = new Database(path);
  database.exec("drop table jobs; drop index messages_class; delete from meta where name = 'schema_version'");
  database.close();
  const again = await createSqliteStore({ path });
  await again.migrate();
  await createSessions(again, "s");
  expect(await again.read([{ find: "job", index: "due", equals: [], limit: 1 }])).toEqual([[]]);
  await again.close();
});

test("a closed store is store_unavailable, and closing twice is fine", async () => {
  const store = await memoryStore();
  await store.close();
  await store.close();
  expect((await failure(store.commit({ at: 1 }))).code).toBe("store_unavailable");
  expect((await failure(store.read([{ get: "session", key: "s" }]))).code).toBe("store_unavailable");
  store.subscribe(() => undefined)();
});

test("two stores with different prefixes share a file without seeing each other's rows", async () => {
  const { store, path } = await fileStore({ tablePrefix: "a_" });
  const { store: other } = await fileStore({ path, tablePrefix: "b_" });
  await createSessions(store, "s");
  expect(await other.read([{ get: "session", key: "s" }])).toEqual([undefined]);
  await createSessions(other, "s");
});

test("a table dropped behind its back is store_not_migrated", async () => {
  const { store, path } = await fileStore();
  const database = new Database(path);
  database.exec("drop table counters");
  database.close();
  expect((await failure(store.commit({ at: 1, counters: [{ scope: "x", by: 1 }] }))).code).toBe("store_not_migrated");
});
