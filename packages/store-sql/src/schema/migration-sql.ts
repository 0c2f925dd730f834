import { createContext } from "../context.ts";
import type { DialectTraits } from "../dialect.ts";
import type { Statement } from "../statement.ts";
import { migrateSteps } from "./migrate.ts";

export interface MigrationSqlOptions {
  /** Put before every table's name. */
  readonly tablePrefix?: string;
  /** The schema that holds the tables. */
  readonly schema?: string;
}

/** The statements that `migrate()` runs on a new database, as plain SQL text for whoever applies them by hand. */
export function migrationSql(traits: DialectTraits, options: MigrationSqlOptions = {}): string {
  const context = createContext({
    traits,
    prefix: options.tablePrefix ?? "",
    schema: options.schema,
    feedOrigin: undefined,
    notify: undefined,
  });
  const steps = migrateSteps(context, "a new database");
  const lines: string[] = [];
  for (let step = steps.next(); !step.done; step = steps.next({ rows: [], changes: 0 })) {
    if (!/^\s*select\b/i.test(step.value.sql)) lines.push(`${writeOut(step.value)};`);
  }
  return `${lines.join("\n")}\n`;
}

/** Puts the few parameters of a migration, names and numbers, into its text. */
function writeOut({ sql, parameters }: Statement): string {
  let at = 0;
  return sql.replace(/\?|\$(\d+)/g, (_placeholder, number) => {
    const value = parameters[number === undefined ? at++ : Number(number) - 1];
    return typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
  });
}
