import { cleanText, type ReadableKind, type ReadRequest, type Scalar } from "@trunkline/core";
import { type RawBuilder, sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { columnName } from "../schema/column-name.ts";
import { slot } from "../shapes.ts";
import type { Row, Statement } from "../statement.ts";
import { type Chunk, chunksOf } from "./chunks.ts";

/** A read of at most one row, by properties that are unique together. */
export interface Lookup {
  readonly kind: ReadableKind;
  readonly by: readonly string[];
  readonly values: readonly Scalar[];
}

/** The request as a lookup; `undefined` when it may find several rows, `null` when it cannot find any. */
export function lookupOf({ tables }: SqlContext, request: ReadRequest): Lookup | null | undefined {
  if ("get" in request) {
    const { key } = tables[request.get];
    const parts = key.length === 1 ? [request.key] : request.key.split("\n");
    if (request.key === "" || parts.length !== key.length) return null;
    return { kind: request.get, by: key, values: parts.map(cleanText) };
  }
  const { find: kind, index, equals, limit } = request;
  const walked = tables[kind].indexes.find((candidate) => candidate.logicalName === index);
  if (!walked?.unique || equals.length !== walked.columns.length || equals.includes(null) || limit < 1)
    return undefined;
  return { kind, by: walked.properties, values: equals.map(cleanScalar) };
}

// Two for each row of the longest page.
const lookupsAtOnce = 400;

/** Reads the rows of lookups by the same properties, in statements of a few fixed sizes. */
export function lookupStatements(context: SqlContext, lookups: readonly Lookup[]): readonly Statement[] {
  return chunksOf(lookups, lookupsAtOnce).map((chunk) => chunkStatement(context, chunk));
}

function chunkStatement({ shape, tables }: SqlContext, { members, size }: Chunk<Lookup>): Statement {
  const { kind, by } = members[0];
  const values: Record<string, unknown> = {};
  for (let place = 0; place < size; place++) {
    const lookup = members[place] ?? members[0];
    for (const [index, value] of lookup.values.entries()) values[`${index}.${place}`] = value;
  }
  return shape(`lookup.${kind} ${by.join()} ${size}`, (db) =>
    db
      .selectFrom(tables[kind].name)
      .select(tables[kind].selection)
      .where(anyOf(by.map(columnName), size)),
  ).bind(values);
}

// Several columns are said as alternatives, which every database answers with one index probe each.
function anyOf(columns: readonly string[], size: number): RawBuilder<boolean> {
  const places = Array.from({ length: size }, (_, place) => place);
  const [only, ...more] = columns;
  if (only !== undefined && more.length === 0) {
    return sql`${sql.ref(only)} in (${sql.join(places.map((place) => slot(`0.${place}`)))})`;
  }
  const alternatives = places.map((place) => {
    const parts = columns.map((column, index) => sql`${sql.ref(column)} = ${slot(`${index}.${place}`)}`);
    return sql`(${sql.join(parts, sql` and `)})`;
  });
  return sql`(${sql.join(alternatives, sql` or `)})`;
}

/** What tells a row from the others that lookups by these properties find. */
export function lookupKey(values: readonly unknown[]): string {
  return values.join("\n");
}

export function rowKey({ by }: Lookup, row: Row): string {
  return lookupKey(by.map((property) => row[property]));
}

function cleanScalar(value: Scalar): Scalar {
  return typeof value === "string" ? cleanText(value) : value;
}
