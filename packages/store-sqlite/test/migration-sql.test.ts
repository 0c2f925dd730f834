import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteStore, sqliteMigrationSql } from "../src/index.ts";

test("the printed schema, applied by hand, is the one that migrate() makes, and the store takes it as it is", async () => {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-sql-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [byHand, byStore] = [join(directory, "hand.db"), join(directory, "store.db")];
  const database = new Database(byHand);
  database.exec(sqliteMigrationSql());
  const migrated = await createSqliteStore({ path: byStore });
  await migrated.migrate();
  await migrated.close();
  const schema = (path: string) =>
    new Database(path).prepare("select type, name, sql from sqlite_master order by type, name").all();
  expect(schema(byHand)).toEqual(schema(byStore));
  database.close();
  await using store = await createSqliteStore({ path: byHand });
  expect(await store.schemaVersion()).toEqual({ current: 1, latest: 1 });
  expect(await store.read([{ get: "run", key: "none" }])).toEqual([undefined]);
});
