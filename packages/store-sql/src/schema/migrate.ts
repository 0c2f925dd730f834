import { type RawBuilder, sql } from "kysely";
import type { SqlContext } from "../context.ts";
import type { Statement, Steps, Written } from "../statement.ts";
import { columnName } from "./column-name.ts";
import type { PhysicalIndex, PhysicalTable } from "./physical-tables.ts";
import { checkSchemaVersion, latestSchemaVersion, readSchemaVersion, writeSchemaVersion } from "./schema-version.ts";

/** Brings the schema up to date. Every step tests before it acts, so a migration that was cut off is taken up again. */
export function* migrateSteps(context: SqlContext, description: string): Steps<Written<undefined>> {
  const { name, body } = context.traits.columnTypes;
  if (context.schema !== undefined) yield context.compile(sql`create schema if not exists ${sql.id(context.schema)}`);
  yield createTable(
    context,
    context.meta.meta,
    [`name ${name} not null primary key`, `value ${body} not null`].map((column) => sql.raw(column)),
  );
  const version = yield* readSchemaVersion(context);
  if (version > latestSchemaVersion) checkSchemaVersion(version, description);
  if (version < 1) yield* createEverything(context);
  if (version < latestSchemaVersion) yield* writeSchemaVersion(context, latestSchemaVersion);
  return { keep: true, value: undefined };
}

function* createEverything(context: SqlContext): Steps<void> {
  for (const table of Object.values(context.tables)) {
    yield createTable(context, table.name, tableParts(context, table));
    yield* createIndexes(context, table);
  }
  yield createTable(context, context.meta.changes, changesParts(context));
  for (const statement of context.messageIndex.create) yield statement;
}

function createTable({ compile, traits }: SqlContext, name: string, parts: readonly RawBuilder<unknown>[]): Statement {
  return compile(
    sql`create table if not exists ${sql.table(name)} (${sql.join(parts)}) ${sql.raw(traits.tableOptions ?? "")}`,
  );
}

function tableParts(
  { traits, tables, messageIndex }: SqlContext,
  table: PhysicalTable,
): readonly RawBuilder<unknown>[] {
  const isMessages = table === tables.message;
  const numbered = traits.numbersMessages && isMessages;
  const key = sql.join(table.key.map((property) => sql.ref(columnName(property))));
  return [
    ...(numbered ? [sql`row_no ${sql.raw(traits.serialKey)}`] : []),
    ...table.columns.map(
      ({ name, type, nullable }) =>
        sql`${sql.ref(name)} ${sql.raw(traits.columnTypes[type] + (nullable ? "" : " not null"))}`,
    ),
    numbered ? sql`unique (${key})` : sql`primary key (${key})`,
    ...(table === tables.session ? (messageIndex.sessionParts ?? []) : []).map((part) => sql.raw(part)),
    ...(traits.inlineIndexes ? table.indexes : []).map(
      (index) => sql`${sql.raw(index.unique ? "unique key" : "key")} ${sql.id(index.name)} (${indexColumns(index)})`,
    ),
  ];
}

/** The feed of hints: `origin` is the handle that wrote it, `at` the time for its removal. */
function changesParts({ traits }: SqlContext): readonly RawBuilder<unknown>[] {
  const { id, name, big } = traits.columnTypes;
  return [
    sql`id ${sql.raw(traits.serialKey)}`,
    sql`origin ${sql.raw(id)} not null`,
    sql`about ${sql.raw(name)} not null`,
    sql`ref ${sql.raw(name)} not null`,
    sql`at ${sql.raw(big)} not null`,
  ];
}

function* createIndexes({ compile, traits }: SqlContext, table: PhysicalTable): Steps<void> {
  if (traits.inlineIndexes) return;
  for (const index of table.indexes) {
    yield compile(
      sql`create ${sql.raw(index.unique ? "unique index" : "index")} if not exists ${sql.id(index.name)} on ${sql.table(table.name)} (${indexColumns(index)})${traits.partialIndexes ? presence(table, index) : sql``}`,
    );
  }
}

/** Rows that a search by the index cannot find are left out of it: those without a value in its first column, or, where it is unique, in any. */
function presence({ columns }: PhysicalTable, index: PhysicalIndex): RawBuilder<unknown> {
  const searched = index.unique ? index.columns : index.columns.slice(0, 1);
  const optional = columns.filter(({ name, nullable }) => nullable && searched.includes(name));
  if (optional.length === 0) return sql``;
  return sql` where ${sql.join(
    optional.map(({ name }) => sql`${sql.ref(name)} is not null`),
    sql` and `,
  )}`;
}

function indexColumns(index: PhysicalIndex): RawBuilder<unknown> {
  return sql.join((index.unique ? index.columns : index.order).map((column) => sql.ref(column)));
}
