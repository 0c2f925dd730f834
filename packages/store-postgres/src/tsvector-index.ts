import { createPendingMessages, type MessageIndex, type MessageIndexTables, slot } from "@trunkline/store-sql";
import { sql } from "kysely";

/** Full text search with a table of word lists, one row a message. */
export function createTsvectorIndex(tables: MessageIndexTables): MessageIndex {
  const { shape, compile, messages, sessions, index } = tables;
  const texts = sql.table(index);
  const add = shape("words.add", (db) =>
    db
      .insertInto(index)
      .values({ row_no: slot("rowNo"), words: sql`${slot("words")}::tsvector` })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const pending = createPendingMessages(tables, function* (rowNo, words) {
    const vector = [...new Set(words)].map(quoted).join(" ");
    if (vector !== "") yield { ...add.bind({ rowNo, words: vector }), expects: "any" };
  });
  return {
    ...pending,
    create: [
      ...pending.create,
      compile(sql`create table if not exists ${texts} (row_no bigint primary key, words tsvector not null)`),
      compile(sql`create index if not exists ${sql.id(`${indexName(index)}_words`)} on ${texts} using gin (words)`),
      compile(
        sql`create index if not exists ${sql.id(`${indexName(index)}_due`)} on ${sql.table(sessions)} (id) where words_due = 1`,
      ),
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

/** An index has no schema in its name: it lies where its table does. */
function indexName(table: string): string {
  return table.slice(table.indexOf(".") + 1);
}

/** Words hold letters, marks and digits only. */
function quoted(word: string): string {
  return `'${word}'`;
}
