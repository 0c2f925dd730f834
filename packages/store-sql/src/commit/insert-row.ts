import type { ReadableKind } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";

/** Inserts one row whose values are encoded and keyed by property. */
export function* insertRow(
  { shape, tables }: SqlContext,
  kind: ReadableKind,
  values: Record<string, unknown>,
): Steps<void> {
  const table = tables[kind];
  const insert = shape(`insert.${kind}`, (db) =>
    db
      .insertInto(table.name)
      .values(Object.fromEntries(table.columns.map((column) => [column.name, slot(column.property)]))),
  );
  yield later(insert.bind(values));
}
