import type { SessionListQuery, SessionRecord } from "@trunkline/core";
import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import type { Row, Statement, Steps } from "../statement.ts";
import { lookupStatements } from "./lookup.ts";
import { selectAll } from "./select.ts";
import { type Filter, listFilters, type ScopeMember, scopeMembers } from "./session-filter.ts";

/** Sessions of a scope in list order: `list_rank`, then key by bytes. */
export function* listSessionsSteps(context: SqlContext, query: SessionListQuery): Steps<readonly SessionRecord[]> {
  const filters = listFilters(context, query);
  const members = scopeMembers(query.scope);
  const offset = query.offset ?? 0;
  if (members.length === 0 || query.limit <= 0) return [];
  const [only] = members;
  if (members.length === 1 && only !== undefined) {
    const rows = yield* selectAll(
      listStatement(context, context.tables.session.selection, only, filters, query.limit, offset),
    );
    return rows.map((row) => context.decode.session(row));
  }
  return yield* mergeMembers(context, members, filters, query.limit, offset);
}

/** Whether a list takes a single statement, which needs no transaction to see one state. */
export function isListedAtOnce({ scope }: SessionListQuery): boolean {
  return scopeMembers(scope).length <= 1;
}

// The rows of this many members are read whole and merged; of more, positions first, to read no row in vain.
const membersReadWhole = 2;

/** Walks each member's own index for the first rows and merges them; one query over all of them would have to sort. */
function* mergeMembers(
  context: SqlContext,
  members: readonly ScopeMember[],
  filters: readonly Filter[],
  limit: number,
  offset: number,
): Steps<readonly SessionRecord[]> {
  const whole = members.length <= membersReadWhole && offset === 0;
  const selection = whole ? context.tables.session.selection : positionSelection;
  const found = new Map<unknown, Row>();
  for (const member of members) {
    const rows = yield* selectAll(listStatement(context, selection, member, filters, offset + limit, 0));
    for (const row of rows) found.set(row["id"], row);
  }
  const page = [...found.values()].sort(byListOrder).slice(offset, offset + limit);
  if (whole) return page.map((row) => context.decode.session(row));
  const records = new Map<string, SessionRecord>();
  const ids = page.map((row) => String(row["id"]));
  for (const record of yield* readSessions(context, ids)) records.set(record.id, record);
  return ids.flatMap((id) => records.get(id) ?? []);
}

const positionSelection = ["id as id", "list_rank as listRank", "session_key as sessionKey"];

function byListOrder(a: Row, b: Row): number {
  const difference = Number(a["listRank"]) - Number(b["listRank"]);
  return difference !== 0
    ? difference
    : Buffer.compare(Buffer.from(String(a["sessionKey"])), Buffer.from(String(b["sessionKey"])));
}

/** Sessions by row id, in no order; missing ones are left out. */
export function* readSessions(context: SqlContext, ids: readonly string[]): Steps<readonly SessionRecord[]> {
  const records: SessionRecord[] = [];
  const lookups = ids.map((id) => ({ kind: "session", by: ["id"], values: [id] }) as const);
  for (const statement of lookupStatements(context, lookups)) {
    for (const row of yield* selectAll(statement)) records.push(context.decode.session(row));
  }
  return records;
}

function listStatement(
  { shape, tables }: SqlContext,
  selection: readonly string[],
  member: ScopeMember,
  filters: readonly Filter[],
  limit: number,
  offset: number,
): Statement {
  const all = member.filter === undefined ? filters : [member.filter, ...filters];
  const names = all.map((filter) => filter.name).join();
  const name = `sessions.list ${selection.length} ${member.closureOf !== undefined} ${names}`;
  return shape(name, (db) => {
    const sessions = `${tables.session.name} as s`;
    // From the closure outwards: a descendant deep in the tree has few rows there, and the list index may be long.
    const source =
      member.closureOf === undefined
        ? db.selectFrom(sessions)
        : db
            .selectFrom(`${tables.lineage.name} as l`)
            .crossJoin(sessions)
            .where("l.ancestor_id", "=", slot("closureOf"))
            .where(sql<boolean>`${sql.ref("s.id")} = ${sql.ref("l.descendant_id")}`);
    let query = source.select(qualified(selection));
    for (const filter of all) query = query.where(filter.build());
    return query
      .orderBy("s.list_rank")
      .orderBy("s.session_key")
      .limit(slot<number>("limit"))
      .offset(slot<number>("offset"));
  }).bind(Object.assign({ limit, offset, closureOf: member.closureOf }, ...all.map((filter) => filter.values)));
}

function qualified(selection: readonly string[]): readonly string[] {
  return selection.map((each) => `s.${each}`);
}
