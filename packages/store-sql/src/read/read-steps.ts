import { cleanText, type ReadableKind, type ReadRequest } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import type { Row, Statement } from "../statement.ts";
import { type Lookup, lookupKey, lookupOf, lookupStatements, rowKey } from "./lookup.ts";

type FindRequest = Extract<ReadRequest, { readonly find: ReadableKind }>;

/** One statement of a read, and how its rows become answers. */
export interface PlannedRead {
  readonly statement: Statement;
  answer(rows: readonly Row[], answers: unknown[]): void;
}

/** The statements that answer keyed and indexed reads: one for all that look up single rows of a table in the same way. */
export function planReads(context: SqlContext, requests: readonly ReadRequest[]): readonly PlannedRead[] {
  const reads: PlannedRead[] = [];
  const groups = new Map<string, Placed[]>();
  for (const [place, request] of requests.entries()) {
    const lookup = lookupOf(context, request);
    if (lookup === null) continue;
    if (lookup === undefined) {
      if ("find" in request) reads.push(planFind(context, request, place));
      continue;
    }
    const name = `${lookup.kind} ${lookup.by.join()}`;
    const placed = { lookup, place, single: "get" in request };
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [placed]);
    else group.push(placed);
  }
  for (const group of groups.values()) reads.push(...planLookups(context, group));
  return reads;
}

interface Placed {
  readonly lookup: Lookup;
  readonly place: number;
  /** The answer is the row itself, not a list. */
  readonly single: boolean;
}

/** The answers in the order of the requests, from the rows that each planned read found. */
export function answersOf(
  reads: readonly PlannedRead[],
  requests: readonly ReadRequest[],
  found: readonly (readonly Row[])[],
): readonly unknown[] {
  const answers: unknown[] = requests.map((request) => ("get" in request ? undefined : []));
  for (const [place, read] of reads.entries()) read.answer(found[place] ?? [], answers);
  return answers;
}

function planFind(context: SqlContext, request: FindRequest, place: number): PlannedRead {
  const decode = context.decode[request.find];
  return {
    statement: findStatement(context, request),
    answer(rows, answers) {
      answers[place] = rows.map((row) => decode(row));
    },
  };
}

function planLookups(context: SqlContext, group: readonly Placed[]): readonly PlannedRead[] {
  const [first] = group;
  if (first === undefined) return [];
  const decode = context.decode[first.lookup.kind];
  const places = new Map<string, Placed[]>();
  for (const placed of group) {
    const key = lookupKey(placed.lookup.values);
    const same = places.get(key);
    if (same === undefined) places.set(key, [placed]);
    else same.push(placed);
  }
  const wanted = [...places.values()].flatMap(([placed]) => (placed === undefined ? [] : [placed.lookup]));
  return lookupStatements(context, wanted).map((statement) => ({
    statement,
    answer(rows, answers) {
      for (const row of rows) {
        const record = decode(row);
        for (const { place, single } of places.get(rowKey(first.lookup, row)) ?? [])
          answers[place] = single ? record : [record];
      }
    },
  }));
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
