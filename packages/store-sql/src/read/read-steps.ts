import { cleanText, type ReadableKind, type ReadableRecords, type ReadRequest } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { columnName } from "../schema/column-name.ts";
import { slot } from "../shapes.ts";
import type { Statement, Steps } from "../statement.ts";
import { selectAll, selectFirst } from "./select.ts";

type FindRequest = Extract<ReadRequest, { readonly find: ReadableKind }>;
type AnyRecord = ReadableRecords[ReadableKind];

/** Answers keyed and indexed reads in their order. */
export function* readSteps(context: SqlContext, requests: readonly ReadRequest[]): Steps<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const request of requests) {
    answers.push(
      "get" in request ? yield* readByKey(context, request.get, request.key) : yield* find(context, request),
    );
  }
  return answers;
}

/** Reads one record by its primary key; a key of several columns is joined with a line feed. */
export function* readByKey<K extends ReadableKind>(
  { shape, tables, decode }: SqlContext,
  kind: K,
  key: string,
): Steps<ReadableRecords[K] | undefined> {
  const table = tables[kind];
  const parts = table.key.length === 1 ? [key] : key.split("\n");
  if (parts.length !== table.key.length) return undefined;
  const statement = shape(`get.${kind}`, (db) => {
    let query = db.selectFrom(table.name).select(table.selection);
    for (const column of table.key) query = query.where(columnName(column), "=", slot(column));
    return query;
  }).bind(Object.fromEntries(table.key.map((column, index) => [column, cleanText(parts[index] ?? "")])));
  const row = yield* selectFirst(statement);
  return row === undefined ? undefined : decode[kind](row);
}

function* find(context: SqlContext, request: FindRequest): Steps<readonly AnyRecord[]> {
  const decode = context.decode[request.find];
  return (yield* selectAll(findStatement(context, request))).map((row) => decode(row));
}

function findStatement({ shape, tables }: SqlContext, request: FindRequest): Statement {
  const { find: kind, index, equals, descending } = request;
  const table = tables[kind];
  const from = request.from ?? null;
  const below = request.below ?? null;
  const bounds = `${from === null ? "" : " from"}${below === null ? "" : " below"}`;
  const nulls = equals.map((value) => (value === null ? "n" : "=")).join("");
  const values: Record<string, unknown> = { from, below, limit: request.limit };
  for (const [position, value] of equals.entries())
    values[`equals${position}`] = typeof value === "string" ? cleanText(value) : value;
  return shape(`find.${kind}.${index} ${nulls}${bounds}${descending ? " desc" : ""}`, (db) => {
    const walked = table.indexes.find((candidate) => candidate.logicalName === index);
    const columns = walked?.columns ?? [];
    const next = columns[equals.length] ?? "";
    let query = db.selectFrom(table.name).select(table.selection);
    for (const [position, value] of equals.entries()) {
      const column = columns[position] ?? "";
      query = value === null ? query.where(column, "is", null) : query.where(column, "=", slot(`equals${position}`));
    }
    if (from !== null) query = query.where(next, ">=", slot("from"));
    if (below !== null) query = query.where(next, "<", slot("below"));
    for (const column of (walked?.order ?? []).slice(equals.length)) {
      query = query.orderBy(column, descending ? "desc" : "asc");
    }
    return query.limit(slot<number>("limit"));
  }).bind(values);
}
