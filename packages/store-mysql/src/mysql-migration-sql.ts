import { type MigrationSqlOptions, migrationSql } from "@trunkline/store-sql";
import { mysqlTraits } from "./mysql-traits.ts";

/** The schema as plain SQL for MySQL and MariaDB, for whoever applies it by hand; `createTrunkline({ migrate: false })` then takes it as it is. */
export function mysqlMigrationSql(options: MigrationSqlOptions = {}): string {
  return migrationSql(mysqlTraits, options);
}
