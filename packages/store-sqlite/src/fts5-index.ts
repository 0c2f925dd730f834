import {
  type MessageIndex,
  type MessageIndexTables,
  messageText,
  type Row,
  readMessageBody,
  selectAll,
  slot,
  spaceWords,
} from "@trunkline/store-sql";
import { sql } from "kysely";

const progressName = "message_texts_through";

/** Full text search with FTS5: a table of word lists without the texts, whose row numbers are those of `messages`. */
export function createFts5Index({ shape, compile, messages, meta, index }: MessageIndexTables): MessageIndex {
  const indexTable = sql.table(index);
  const through = sql`(select cast(value as integer) from ${sql.table(meta)} where name = ${progressName})`;
  return {
    create: [
      compile(
        sql`create virtual table if not exists ${indexTable} using fts5(words, content='', contentless_delete=1, tokenize='unicode61')`,
      ),
      compile(sql`insert or ignore into ${sql.table(meta)} (name, value) values (${progressName}, '0')`),
    ],
    source: sql`${indexTable} cross join ${sql.table(messages)} as m`,
    matches: (words) => sql`${indexTable} match ${words} and m.row_no = ${indexTable}.rowid`,
    // Numbers follow the order of writing, so that the walk can end at the limit however common the words are.
    newestFirst: sql`${indexTable}.rowid desc`,
    query(words) {
      const terms = words.map(spaceWords).filter((word) => /[\p{L}\p{N}]/u.test(word));
      return terms.length === 0 ? undefined : terms.map((word) => `"${word.replaceAll('"', " ")}"`).join(" AND ");
    },
    *addPending(limit) {
      const rows = yield* selectAll(
        shape("fts.pending", (db) =>
          db
            .selectFrom(messages)
            .select(["row_no as rowNo", "body", "role"])
            .where("row_no", ">", through)
            .orderBy("row_no")
            .limit(slot<number>("limit")),
        ).bind({ limit }),
      );
      const last = rows.at(-1);
      if (last === undefined) return 0;
      const insert = shape("fts.add", (db) =>
        db.insertInto(index).values({ rowid: slot("rowNo"), words: slot("words") }),
      );
      for (const row of rows) {
        const words = searchedText(row);
        if (words !== "") yield insert.bind({ rowNo: row["rowNo"], words });
      }
      yield shape("fts.through", (db) =>
        db
          .updateTable(meta)
          .set({ value: slot("through") })
          .where("name", "=", progressName),
      ).bind({ through: String(last["rowNo"]) });
      return rows.length;
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

function searchedText(row: Row): string {
  return row["role"] === "system" ? "" : messageText(readMessageBody(String(row["body"])));
}
