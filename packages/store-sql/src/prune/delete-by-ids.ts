import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { inReference } from "../read/session-filter.ts";
import type { Steps } from "../statement.ts";

/** Deletes the rows of a table whose column holds one of the values, and returns how many they were. */
export function* deleteByIds(
  { shape }: SqlContext,
  table: string,
  column: string,
  ids: readonly string[],
): Steps<number> {
  if (ids.length === 0) return 0;
  const filter = inReference("id", sql.ref(column), ids);
  const { changes } = yield shape(`delete.${table}.${column} ${filter.name}`, (db) =>
    db.deleteFrom(table).where(filter.build()),
  ).bind(filter.values);
  return changes;
}
