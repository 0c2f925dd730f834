import type { ReadableKind } from "@trunkline/core";
import { encodeRecord } from "../codec/encode.ts";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";

/** Inserts one record; all its values travel, in the order of the columns. */
export function* insertRecord(context: SqlContext, kind: ReadableKind, record: object): Steps<void> {
  yield* insertRow(context, kind, encodeRecord(context.tables[kind], record));
}

/** The same with values that are encoded already. */
export function* insertRow({ shape, tables }: SqlContext, kind: ReadableKind, values: readonly unknown[]): Steps<void> {
  const table = tables[kind];
  const insert = shape(`insert.${kind}`, (db) =>
    db
      .insertInto(table.name)
      .values(Object.fromEntries(table.columns.map((column) => [column.name, slot(column.property)]))),
  );
  yield later({ sql: insert.sql, parameters: values });
}
