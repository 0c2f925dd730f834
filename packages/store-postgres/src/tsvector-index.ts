import {
  indexBatchRows,
  lastOfBatch,
  type MessageIndex,
  type MessageIndexTables,
  type Row,
  type Steps,
  searchedWords,
  selectAll,
  selectFirst,
  slot,
} from "@trunkline/store-sql";
import { sql } from "kysely";

/** Full text search with a column of words in `messages`; it is empty until the words were added. */
export function createTsvectorIndex({ shape, compile, messages, index }: MessageIndexTables): MessageIndex {
  const table = sql.table(messages);
  return {
    messageParts: ["words tsvector"],
    create: [
      compile(sql`create index if not exists ${sql.id(index)} on ${table} using gin (words) where words is not null`),
      compile(sql`create index if not exists ${sql.id(`${index}_due`)} on ${table} (row_no) where words is null`),
    ],
    find: (terms) => ({
      name: "tsvector",
      source: sql`${table} as m`,
      condition: sql`m.words is not null and m.words @@ ${slot("words")}::tsquery`,
      newestFirst: sql`m.row_no desc`,
      values: { words: terms.flat().map(quoted).join(" & ") },
      // Positions of words are not kept: a tsvector counts them up to 16 383 only.
      exact: terms.every((term) => term.length === 1),
    }),
    *hasPending() {
      const first = yield* selectFirst(
        shape("words.hasPending", (db) =>
          db.selectFrom(messages).select("row_no").where("words", "is", null).orderBy("row_no").limit(1),
        ).bind({}),
      );
      return first !== undefined;
    },
    *addPending() {
      const sizes = yield* selectAll(
        shape("words.sizes", (db) =>
          db
            .selectFrom(messages)
            .select(["row_no as rowNo", "bytes"])
            .where("words", "is", null)
            .orderBy("row_no")
            .limit(indexBatchRows)
            .forUpdate(),
        ).bind({}),
      );
      const last = lastOfBatch(sizes);
      if (last === undefined) return;
      const rows = yield* selectAll(
        shape("words.bodies", (db) =>
          db
            .selectFrom(messages)
            .select(["row_no as rowNo", "body", "role"])
            .where("words", "is", null)
            .where("row_no", "<=", slot("last")),
        ).bind({ last }),
      );
      const add = shape("words.add", (db) =>
        db
          .updateTable(messages)
          .set({ words: sql`${slot("words")}::tsvector` })
          .where("row_no", "=", slot("rowNo")),
      );
      for (const row of rows) yield { ...add.bind({ rowNo: row["rowNo"], words: vectorOf(row) }), expects: "any" };
    },
    *forget(): Steps<void> {},
  };
}

function vectorOf(row: Row): string {
  return [...new Set(searchedWords(row))].map(quoted).join(" ");
}

/** Words hold letters, marks and digits only. */
function quoted(word: string): string {
  return `'${word}'`;
}
