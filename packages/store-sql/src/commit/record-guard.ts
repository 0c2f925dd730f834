import { type RawBuilder, sql } from "kysely";
import { encodeColumn } from "../codec/encode.ts";
import type { PhysicalColumn, PhysicalTable } from "../schema/physical-tables.ts";
import { slot } from "../shapes.ts";

/** A guard as SQL: its shape's name, its conditions and the values of their slots. */
export interface GuardPlan {
  readonly name: string;
  readonly conditions: readonly RawBuilder<boolean>[];
  readonly values: Readonly<Record<string, unknown>>;
}

interface Condition {
  readonly name: string;
  readonly build: () => RawBuilder<boolean>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Turns a `RecordGuard` into conditions on columns. */
export function planGuard(table: PhysicalTable, when: object | undefined): GuardPlan {
  const conditions = Object.entries(when ?? {}).flatMap(([property, wanted]) => {
    const column = table.columnOf.get(property);
    return column === undefined || wanted === undefined ? [] : [condition(column, wanted)];
  });
  return {
    name: conditions.map((each) => each.name).join(),
    get conditions() {
      return conditions.map((each) => each.build());
    },
    values: Object.assign({}, ...conditions.map((each) => each.values)),
  };
}

function condition(column: PhysicalColumn, wanted: unknown): Condition {
  const ref = sql.ref(column.name);
  const name = `when.${column.property}`;
  if (wanted === null) return { name: `${column.property} null`, build: () => sql`${ref} is null`, values: {} };
  if (typeof wanted === "object" && column.type !== "json") {
    if ("atMost" in wanted) {
      return {
        name: `${column.property} <=`,
        build: () => sql`${ref} <= ${slot(name)}`,
        values: { [name]: wanted.atMost },
      };
    }
    if ("atLeast" in wanted) {
      return {
        name: `${column.property} >=`,
        build: () => sql`${ref} >= ${slot(name)}`,
        values: { [name]: wanted.atLeast },
      };
    }
    if ("anyOf" in wanted && Array.isArray(wanted.anyOf)) return anyOf(column, name, wanted.anyOf);
  }
  return {
    name: `${column.property} =`,
    build: () => sql`${ref} = ${slot(name)}`,
    values: { [name]: encodeColumn(column, wanted) },
  };
}

function anyOf(column: PhysicalColumn, name: string, members: readonly unknown[]): Condition {
  const ref = sql.ref(column.name);
  const values = members.filter((member) => member !== null);
  const slots = values.map((_, index) => `${name}.${index}`);
  const alternatives = [
    ...(values.length > 0 ? [() => sql`${ref} in (${sql.join(slots.map((each) => slot(each)))})`] : []),
    ...(values.length < members.length ? [() => sql`${ref} is null`] : []),
  ];
  return {
    name: `${column.property} in ${values.length}${values.length < members.length ? " or null" : ""}`,
    build: () =>
      alternatives.length === 0
        ? sql`1 = 0`
        : sql`(${sql.join(
            alternatives.map((build) => build()),
            sql` or `,
          )})`,
    values: Object.fromEntries(values.map((value, index) => [`${name}.${index}`, encodeColumn(column, value)])),
  };
}
