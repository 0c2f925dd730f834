import { type MigrationSqlOptions, migrationSql } from "@trunkline/store-sql";
import { postgresTraits } from "./postgres-traits.ts";

/** The schema as plain SQL for PostgreSQL, for whoever applies it by hand; `createTrunkline({ migrate: false })` then takes it as it is. */
export function postgresMigrationSql(options: MigrationSqlOptions = {}): string {
  return migrationSql(postgresTraits, options);
}
