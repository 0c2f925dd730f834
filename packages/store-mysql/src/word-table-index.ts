import {
  createPendingMessages,
  type MessageIndex,
  type MessageIndexTables,
  type SearchTerm,
  type Steps,
  searchedWords,
  selectFirst,
  slot,
} from "@trunkline/store-sql";
import { sql } from "kysely";

const maxJoinedWords = 16;
const maxInsertedWords = 512;

/**
 * Full text search with a table of words: a row for each word of each message. The key's order lets a search begin with
 * the latest message and end at its limit.
 */
export function createWordTableIndex(tables: MessageIndexTables): MessageIndex {
  const { shape, compile, messages, index } = tables;
  const pending = createPendingMessages(tables, addWords);
  return {
    ...pending,
    sessionParts: [...pending.sessionParts, "key words_due (words_due, id)"],
    create: [
      ...pending.create,
      compile(
        sql`create table if not exists ${sql.table(index)} (word varbinary(192) not null, row_no bigint not null, primary key (word, row_no)) engine = innodb row_format = dynamic`,
      ),
    ],
    find(terms) {
      const words = joinedWords(terms);
      const others = words.slice(1).map((_word, number) => {
        const name = sql.id(`w${number + 1}`);
        return sql`join ${sql.table(index)} as ${name} on ${name}.word = ${slot(`word${number + 1}`)} and ${name}.row_no = w0.row_no`;
      });
      return {
        name: `words ${words.length}`,
        // From the words to the messages, or MySQL reads and sorts all that hold a common word.
        source: sql`${sql.table(index)} as w0 ${sql.join(others, sql` `)} straight_join ${sql.table(messages)} as m on m.row_no = w0.row_no`,
        condition: sql`w0.word = ${slot("word0")}`,
        newestFirst: sql`w0.row_no desc`,
        values: Object.fromEntries(words.map((word, number) => [`word${number}`, word])),
        exact: terms.every((term) => term.length === 1) && words.length < maxJoinedWords,
      };
    },
    *forget(messageIds) {
      for (const id of messageIds) {
        const row = yield* selectFirst(
          shape("words.forgotten", (db) =>
            db.selectFrom(messages).select(["row_no as rowNo", "body", "role"]).where("id", "=", slot("id")),
          ).bind({ id }),
        );
        if (row === undefined) continue;
        for (const part of partsOf(searchedWords(row))) {
          yield shape(`words.remove ${part.length}`, (db) =>
            db
              .deleteFrom(index)
              .where("row_no", "=", slot("rowNo"))
              .where(
                "word",
                "in",
                part.map((_word, number) => slot(`word${number}`)),
              ),
          ).bind({ ...wordValues(part), rowNo: row["rowNo"] });
        }
      }
    },
  };

  function* addWords(rowNo: number, words: readonly string[]): Steps<void> {
    for (const part of partsOf(words)) {
      const insert = shape(`words.add ${part.length}`, (db) =>
        db
          .insertInto(index)
          .ignore()
          .values(part.map((_word, number) => ({ word: slot(`word${number}`), row_no: slot("rowNo") }))),
      );
      yield { ...insert.bind({ ...wordValues(part), rowNo }), expects: "any" };
    }
  }
}

/** The longest words, which are likely to be the rarest. */
function joinedWords(terms: readonly SearchTerm[]): readonly string[] {
  return [...new Set(terms.flat())].sort((a, b) => b.length - a.length).slice(0, maxJoinedWords);
}

/** Distinct words in lists of a power of two, filled up with the last one so that few statements arise. */
function partsOf(words: readonly string[]): readonly (readonly string[])[] {
  const distinct = [...new Set(words)];
  const parts: string[][] = [];
  for (let from = 0; from < distinct.length; from += maxInsertedWords) {
    const part = distinct.slice(from, from + maxInsertedWords);
    const last = part.at(-1) ?? "";
    const size = 2 ** Math.ceil(Math.log2(part.length));
    parts.push([...part, ...Array<string>(size - part.length).fill(last)]);
  }
  return parts;
}

function wordValues(words: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(words.map((word, number) => [`word${number}`, word]));
}
