import type { MessageClass } from "@trunkline/core";
import { type RawBuilder, sql } from "kysely";

const allClasses: readonly MessageClass[] = [0, 1, 2];

/** Sorted, so that equal sets share a shape; an empty list matches nothing. */
export function classList(classes: readonly MessageClass[]): readonly number[] {
  const wanted = allClasses.filter((each) => classes.includes(each));
  return wanted.length === 0 ? [-1] : wanted;
}

/** Several classes are said by exclusion, so that planners walk (session_row, seq) in order rather than sort them together. */
export function classConditions(classes: readonly number[]): readonly RawBuilder<boolean>[] {
  const column = sql.ref("class");
  const [only, ...more] = classes;
  if (only !== undefined && more.length === 0) return [sql`${column} = ${sql.lit(only)}`];
  return allClasses.filter((each) => !classes.includes(each)).map((left) => sql`${column} <> ${sql.lit(left)}`);
}
