import { firstParkedSeq } from "@trunkline/core";
import { type RawBuilder, sql } from "kysely";
import { selectAll, selectFirst } from "../read/select.ts";
import { inReference } from "../read/session-filter.ts";
import { slot } from "../shapes.ts";
import { later, type Row, type Statement, type Steps } from "../statement.ts";
import { indexBatchRows, lastOfBatch, searchedWords } from "./index-batch.ts";
import type { MessageIndex, MessageIndexTables } from "./message-index.ts";

/** Adds the words of a message to an index that may hold them already. */
export type AddWords = (rowNo: number, words: readonly string[]) => Steps<void>;

export type PendingMessages = Required<
  Pick<MessageIndex, "sessionParts" | "sessionMark" | "create" | "hasPending" | "addPending">
>;

const turnName = "message_texts";
// No parameter: an index of the marked rows alone is used only where the condition is known while planning.
const isDue = sql<boolean>`words_due = 1`;
const sessionsAtOnce = 16;

/**
 * Messages that wait for an index, known by their sessions: the session's row, which a commit writes anyway, is marked
 * and tells up to which number its messages were added; and its parked ones, whose numbers are another sequence, above
 * the first. A row that moves from the one to the other is added again.
 */
export function createPendingMessages(tables: MessageIndexTables, add: AddWords): PendingMessages {
  const { shape, compile, sessions, messages, meta } = tables;
  /** Where the last look ended, so that busy sessions do not keep the others waiting. */
  let after = "";

  /** One process at a time: the others would read and add the same. */
  const takeTurn = shape("words.turn", (db) =>
    db.selectFrom(meta).select("name").where("name", "=", turnName).forUpdate(),
  );
  const dueSessions = shape("words.sessions", (db) =>
    db
      .selectFrom(sessions)
      .select(["id", "stamp", "words_through as through", "words_parked as parked"])
      .where(isDue)
      .where("id", ">", slot("after"))
      .orderBy("id")
      .limit(sessionsAtOnce),
  );

  function sizesOf(due: readonly Row[]): Statement {
    const statement = shape(`words.sizes ${due.length}`, (db) => {
      const columns = sql`session_row as ${sql.ref("session")}, seq, row_no as ${sql.ref("rowNo")}, bytes`;
      const first = (id: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`(
        select ${columns} from ${sql.table(messages)} where session_row = ${id} and ${condition}
        order by seq limit ${sql.lit(indexBatchRows)})`;
      const parts = due.flatMap((_session, place) => {
        const id = slot(`id${place}`);
        return [
          first(id, sql`seq > ${slot(`through${place}`)} and seq < ${sql.lit(firstParkedSeq)}`),
          first(id, sql`seq > ${slot(`parked${place}`)}`),
        ];
      });
      return { compile: () => sql`select w.* from (${sql.join(parts, sql` union all `)}) as w`.compile(db) };
    });
    const values = due.flatMap(({ id, through, parked }, place) => [
      [`id${place}`, id],
      [`through${place}`, through],
      [`parked${place}`, parked],
    ]);
    return statement.bind(Object.fromEntries(values));
  }

  function bodiesOf(rows: readonly Row[]): Statement {
    const chosen = inReference(
      "row",
      sql.ref("row_no"),
      rows.map((row) => row["rowNo"]),
    );
    return shape(`words.bodies ${chosen.name}`, (db) =>
      db.selectFrom(messages).select(["row_no as rowNo", "body", "role"]).where(chosen.build()),
    ).bind(chosen.values);
  }

  /** A session that was written since it was read stays marked. */
  function progressOf({ id, stamp, through, parked }: Row, added: readonly Row[], isWhole: boolean): Statement {
    const [numbers, parkedNumbers] = bothSequences(added);
    const values = {
      id,
      stamp,
      through: Math.max(Number(through), ...numbers),
      parked: Math.max(Number(parked), ...parkedNumbers),
    };
    const statement = shape(`words.progress ${isWhole}`, (db) =>
      db
        .updateTable(sessions)
        .set({
          words_through: slot("through"),
          words_parked: slot("parked"),
          ...(isWhole
            ? { words_due: sql`case when ${sql.ref("stamp")} = ${slot("stamp")} then 0 else words_due end` }
            : {}),
        })
        .where("id", "=", slot("id")),
    );
    return later(statement.bind(values));
  }

  return {
    sessionParts: [
      "words_due smallint not null default 1",
      "words_through bigint not null default 0",
      `words_parked bigint not null default ${firstParkedSeq}`,
    ],
    sessionMark: "words_due",
    create: [
      compile(
        sql`insert into ${sql.table(meta)} (name, value) select ${turnName}, '' from (select 1 as one) as o where not exists (select 1 from ${sql.table(meta)} as m where m.name = ${turnName})`,
      ),
    ],
    *hasPending() {
      const first = yield* selectFirst(
        shape("words.hasPending", (db) => db.selectFrom(sessions).select("id").where(isDue).limit(1)).bind({}),
      );
      return first !== undefined;
    },
    *addPending() {
      yield* selectFirst(takeTurn.bind({}));
      const due = yield* selectAll(dueSessions.bind({ after }));
      after = due.length < sessionsAtOnce ? "" : String(due.at(-1)?.["id"]);
      if (due.length === 0) return;
      const waiting = [...(yield* selectAll(sizesOf(due)))].sort(bySequence);
      const last = lastOfBatch(waiting.slice(0, indexBatchRows));
      const batch = waiting.slice(0, waiting.findIndex((row) => row["rowNo"] === last) + 1);
      const bodies = batch.length === 0 ? [] : yield* selectAll(bodiesOf(batch));
      for (const row of bodies) yield* add(Number(row["rowNo"]), searchedWords(row));
      for (const session of due) {
        const isOwn = (row: Row) => row["session"] === session["id"];
        const [own, added] = [waiting.filter(isOwn), batch.filter(isOwn)];
        const isWhole = added.length === own.length && bothSequences(own).every((seqs) => seqs.length < indexBatchRows);
        if (isWhole || added.length > 0) yield progressOf(session, added, isWhole);
      }
    },
  };
}

/** The numbers of the rows that have their place, and of those that are parked. */
function bothSequences(rows: readonly Row[]): readonly [readonly number[], readonly number[]] {
  const numbers = rows.map(({ seq }) => Number(seq));
  return [numbers.filter((seq) => seq < firstParkedSeq), numbers.filter((seq) => seq >= firstParkedSeq)];
}

function bySequence(a: Row, b: Row): number {
  const [one, other] = [String(a["session"]), String(b["session"])];
  return one < other ? -1 : one > other ? 1 : Number(a["seq"]) - Number(b["seq"]);
}
