import { type MigrationSqlOptions, migrationSql } from "@trunkline/store-sql";
import { sqliteTraits } from "./sqlite-traits.ts";

/** The schema as plain SQL for SQLite, for whoever applies it by hand; `createTrunkline({ migrate: false })` then takes it as it is. */
export function sqliteMigrationSql(options: MigrationSqlOptions = {}): string {
  return migrationSql(sqliteTraits, options);
}
