import { firstParkedSeq, type MessagePage, type MessageQuery, type MessageRecord } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import type { Row, Statement } from "../statement.ts";
import { classConditions, classList } from "./message-classes.ts";

/** The reads of one page of a transcript. */
export function pageStatements(context: SqlContext, query: MessageQuery): readonly Statement[] {
  return [pageStatement(context, query), ...(query.count ? [countStatement(context, query)] : [])];
}

/** The page that they give, ascending, whichever way it is walked. */
export function pageOf(
  context: SqlContext,
  query: MessageQuery,
  [rows = [], counted = []]: readonly (readonly Row[])[],
): MessagePage {
  const records: MessageRecord[] = rows.slice(0, query.limit).map((row) => context.decode.message(row));
  const messages = query.from === "newest" ? records.reverse() : records;
  const page = { messages, more: rows.length > query.limit };
  return query.count ? { ...page, total: Number(counted[0]?.["total"] ?? 0) } : page;
}

function pageStatement({ shape, tables }: SqlContext, query: MessageQuery): Statement {
  const newest = query.from === "newest";
  const classes = classList(query.classes);
  const name = `messages.page ${query.from} ${classes.join()} ${query.beyondSeq === undefined} ${query.withoutPending === true}`;
  return shape(name, (db) => {
    let page = db
      .selectFrom(tables.message.name)
      .select(tables.message.selection)
      .where("session_row", "=", slot("session"))
      .where("seq", ">=", slot("firstSeq"));
    for (const condition of classConditions(classes)) page = page.where(condition);
    if (query.withoutPending) page = page.where("seq", "<", slot("firstParked"));
    if (query.beyondSeq !== undefined) page = page.where("seq", newest ? "<" : ">", slot("beyond"));
    return page
      .orderBy("seq", newest ? "desc" : "asc")
      .limit(slot<number>("limit"))
      .offset(slot<number>("offset"));
  }).bind({ ...bounds(query), beyond: query.beyondSeq, limit: query.limit + 1, offset: query.offset ?? 0 });
}

function countStatement({ shape, tables }: SqlContext, query: MessageQuery): Statement {
  const classes = classList(query.classes);
  return shape(`messages.count ${classes.join()} ${query.withoutPending === true}`, (db) => {
    let total = db
      .selectFrom(tables.message.name)
      .select((eb) => eb.fn.countAll().as("total"))
      .where("session_row", "=", slot("session"))
      .where("class", "in", [...classes])
      .where("seq", ">=", slot("firstSeq"));
    if (query.withoutPending) total = total.where("seq", "<", slot("firstParked"));
    return total;
  }).bind(bounds(query));
}

function bounds(query: MessageQuery) {
  return { session: query.sessionRow, firstSeq: query.firstSeq, firstParked: firstParkedSeq };
}
