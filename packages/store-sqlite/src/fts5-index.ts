import {
  indexBatchRows,
  lastOfBatch,
  type MessageIndex,
  type MessageIndexTables,
  type Steps,
  searchedWords,
  selectAll,
  selectFirst,
  slot,
} from "@trunkline/store-sql";
import { sql } from "kysely";

const progressName = "message_texts_through";

/** Full text search with FTS5: a table of word lists without the texts, whose row numbers are those of `messages`. */
export function createFts5Index({ shape, compile, messages, meta, index }: MessageIndexTables): MessageIndex {
  const indexTable = sql.table(index);
  const through = sql`(select cast(value as integer) from ${sql.table(meta)} where name = ${progressName})`;

  function* moveProgress(rowNo: unknown): Steps<void> {
    yield shape("fts.through", (db) =>
      db
        .updateTable(meta)
        .set({ value: slot("through") })
        .where("name", "=", progressName),
    ).bind({ through: String(rowNo) });
  }

  return {
    create: [
      // This tokenizer parts words at blanks alone, once they are made of letters, marks and digits.
      compile(
        sql`create virtual table if not exists ${indexTable} using fts5(words, content='', contentless_delete=1, tokenize='ascii')`,
      ),
      compile(sql`insert or ignore into ${sql.table(meta)} (name, value) values (${progressName}, '0')`),
    ],
    find: (terms) => ({
      name: "fts",
      source: sql`${indexTable} cross join ${sql.table(messages)} as m`,
      condition: sql`${indexTable} match ${slot("words")} and m.row_no = ${indexTable}.rowid`,
      // Numbers follow the order of writing, so that the walk can end at the limit however common the words are.
      newestFirst: sql`${indexTable}.rowid desc`,
      values: { words: terms.map((term) => `"${term.join(" ")}"`).join(" AND ") },
      exact: true,
    }),
    *hasPending() {
      const first = yield* selectFirst(
        shape("fts.hasPending", (db) =>
          db.selectFrom(messages).select("row_no").where("row_no", ">", through).limit(1),
        ).bind({}),
      );
      return first !== undefined;
    },
    *addPending() {
      const sizes = yield* selectAll(
        shape("fts.sizes", (db) =>
          db
            .selectFrom(messages)
            .select(["row_no as rowNo", "bytes"])
            .where("row_no", ">", through)
            .orderBy("row_no")
            .limit(indexBatchRows),
        ).bind({}),
      );
      const last = lastOfBatch(sizes);
      if (last === undefined) return;
      const rows = yield* selectAll(
        shape("fts.bodies", (db) =>
          db
            .selectFrom(messages)
            .select(["row_no as rowNo", "body", "role"])
            .where("row_no", ">", through)
            .where("row_no", "<=", slot("last")),
        ).bind({ last }),
      );
      const add = shape("fts.add", (db) => db.insertInto(index).values({ rowid: slot("rowNo"), words: slot("words") }));
      for (const row of rows) {
        const words = searchedWords(row);
        if (words.length > 0) yield add.bind({ rowNo: row["rowNo"], words: words.join(" ") });
      }
      yield* moveProgress(last);
    },
    *forget(messageIds) {
      for (const id of messageIds) {
        yield shape("fts.forget", (db) =>
          db
            .deleteFrom(index)
            .where("rowid", "=", db.selectFrom(messages).select("row_no").where("id", "=", slot("id"))),
        ).bind({ id });
      }
    },
  };
}
