import type { MessageRecord, MessageTailsQuery } from "@trunkline/core";
import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import type { Row, Statement, Steps } from "../statement.ts";
import { type Chunk, chunksOf } from "./chunks.ts";
import { classConditions, classList } from "./message-classes.ts";
import { selectTogether } from "./select.ts";

const tailsAtOnce = 200;

type Tail = MessageTailsQuery["sessions"][number];

/** The tails of several transcripts: each a walk of its own from the newest row, up to 200 of them in one statement. */
export function* readTailsSteps(
  context: SqlContext,
  query: MessageTailsQuery,
): Steps<readonly (readonly MessageRecord[])[]> {
  const found = new Map<unknown, Row[]>();
  const statements = chunksOf(query.sessions, tailsAtOnce).map((chunk) => tailsStatement(context, query, chunk));
  for (const row of (yield* selectTogether(statements)).flat()) {
    const rows = found.get(row["sessionRow"]);
    if (rows === undefined) found.set(row["sessionRow"], [row]);
    else rows.push(row);
  }
  for (const rows of found.values()) rows.sort((a, b) => Number(a["seq"]) - Number(b["seq"]));
  const records = new Map([...found].map(([id, rows]) => [id, rows.map((row) => context.decode.message(row))]));
  return query.sessions.map(({ sessionRow }) => records.get(sessionRow) ?? []);
}

function tailsStatement(
  { shape, tables }: SqlContext,
  query: MessageTailsQuery,
  { members, size }: Chunk<Tail>,
): Statement {
  const classes = classList(query.classes);
  const values: Record<string, unknown> = { limit: query.limit };
  for (let place = 0; place < size; place++) {
    // What fills the chunk up finds nothing: no session has an empty id.
    values[`session${place}`] = members[place]?.sessionRow ?? "";
    values[`firstSeq${place}`] = members[place]?.firstSeq ?? 0;
  }
  return shape(`messages.tails ${classes.join()} ${size}`, (db) => {
    const tails = Array.from({ length: size }, (_, place) => {
      let tail = db
        .selectFrom(tables.message.name)
        .select(tables.message.selection)
        .where("session_row", "=", slot(`session${place}`))
        .where("seq", ">=", slot(`firstSeq${place}`));
      for (const condition of classConditions(classes)) tail = tail.where(condition);
      const walk = tail.orderBy("seq", "desc").limit(slot<number>("limit"));
      return sql`select * from (${walk}) as ${sql.id(`t${place}`)}`;
    });
    return { compile: () => sql`${sql.join(tails, sql` union all `)}`.compile(db) };
  }).bind(values);
}
