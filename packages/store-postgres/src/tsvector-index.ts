import {
  indexBatchRows,
  lastOfBatch,
  type MessageIndex,
  type MessageIndexTables,
  type Row,
  searchedWords,
  selectAll,
  selectFirst,
  slot,
} from "@trunkline/store-sql";
import { sql } from "kysely";

/**
 * Full text search with a table of word lists, one row a message. New messages wait in a table without an index, which
 * is the cheapest that an append can be made to pay.
 */
export function createTsvectorIndex({ shape, compile, messages, index }: MessageIndexTables): MessageIndex {
  const waiting = `${index}_due`;
  const texts = sql.table(index);
  const enqueue = shape("words.enqueue", (db) => db.insertInto(waiting).values({ id: slot("id") }));
  const enqueueRange = shape("words.enqueueRange", (db) =>
    db
      .insertInto(waiting)
      .columns(["id"])
      .expression(
        db
          .selectFrom(messages)
          .select("id")
          .where("session_row", "=", slot("session"))
          .where("seq", ">=", slot("from"))
          .where("seq", "<=", slot("through")),
      ),
  );
  return {
    create: [
      compile(sql`create table if not exists ${texts} (row_no bigint primary key, words tsvector not null)`),
      compile(sql`create index if not exists ${sql.id(indexName(index))} on ${texts} using gin (words)`),
      compile(sql`create table if not exists ${sql.table(waiting)} (id text collate "C" not null)`),
    ],
    find: (terms) => ({
      name: "tsvector",
      source: sql`${texts} as t join ${sql.table(messages)} as m on m.row_no = t.row_no`,
      condition: sql`t.words @@ ${slot("words")}::tsquery`,
      newestFirst: sql`m.row_no desc`,
      values: { words: terms.flat().map(quoted).join(" & ") },
      // Positions of words are not kept: a tsvector counts them up to 16 383 only.
      exact: terms.every((term) => term.length === 1),
    }),
    noteAdded: (messageIds) => messageIds.map((id) => enqueue.bind({ id })),
    noteCopied: (range) => enqueueRange.bind({ ...range }),
    *hasPending() {
      const first = yield* selectFirst(
        shape("words.hasPending", (db) => db.selectFrom(waiting).select("id").limit(1)).bind({}),
      );
      return first !== undefined;
    },
    *addPending() {
      const batch = firstBatch(
        yield* selectAll(
          shape("words.sizes", (db) =>
            db
              .selectFrom(`${waiting} as w`)
              .leftJoin(`${messages} as m`, "m.id", "w.id")
              .select([sql<string>`w.ctid::text`.as("place"), "m.row_no as rowNo", "m.bytes as bytes"])
              .limit(indexBatchRows)
              .forUpdate("w"),
          ).bind({}),
        ),
      );
      if (batch.length === 0) return;
      const places = sql`w.ctid = any(${slot("places")}::tid[])`;
      const rows = yield* selectAll(
        shape("words.bodies", (db) =>
          db
            .selectFrom(`${waiting} as w`)
            .innerJoin(`${messages} as m`, "m.id", "w.id")
            .select(["m.row_no as rowNo", "m.body as body", "m.role as role"])
            .where(sql<boolean>`${places}`),
        ).bind({ places: batch }),
      );
      const add = shape("words.add", (db) =>
        db
          .insertInto(index)
          .values({ row_no: slot("rowNo"), words: sql`${slot("words")}::tsvector` })
          .onConflict((conflict) => conflict.doNothing()),
      );
      for (const row of rows) {
        const words = vectorOf(row);
        if (words !== "") yield { ...add.bind({ rowNo: row["rowNo"], words }), expects: "any" };
      }
      const remove = shape("words.dequeue", (db) => db.deleteFrom(`${waiting} as w`).where(sql<boolean>`${places}`));
      yield { ...remove.bind({ places: batch }), expects: "any" };
    },
    *forget(messageIds) {
      const remove = shape("words.forget", (db) =>
        db.deleteFrom(index).where(
          "row_no",
          "in",
          db
            .selectFrom(messages)
            .select("row_no")
            .where("id", "=", sql`any(${slot("ids")})`),
        ),
      );
      yield { ...remove.bind({ ids: messageIds }), expects: "any" };
    },
  };
}

/** The places of the rows that make one batch. */
function firstBatch(rows: readonly Row[]): readonly unknown[] {
  const last = lastOfBatch(rows);
  const end = rows.findLastIndex((row) => row["rowNo"] === last);
  return rows.slice(0, end + 1).map((row) => row["place"]);
}

/** An index has no schema in its name: it lies where its table does. */
function indexName(table: string): string {
  return `${table.slice(table.indexOf(".") + 1)}_words`;
}

function vectorOf(row: Row): string {
  return [...new Set(searchedWords(row))].map(quoted).join(" ");
}

/** Words hold letters, marks and digits only. */
function quoted(word: string): string {
  return `'${word}'`;
}
