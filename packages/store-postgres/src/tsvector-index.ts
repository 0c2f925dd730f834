import {
  type MessageIndex,
  type MessageIndexTables,
  messageText,
  type Row,
  readMessageBody,
  type Steps,
  selectAll,
  selectFirst,
  slot,
  wordsOf,
} from "@trunkline/store-sql";
import { sql } from "kysely";

const batchRows = 200;
const batchBytes = 512 * 1024;

/** Full text search with a column of words in `messages`; it is empty until the words were added. */
export function createTsvectorIndex({ shape, compile, messages, index }: MessageIndexTables): MessageIndex {
  const table = sql.table(messages);
  return {
    create: [
      compile(sql`alter table ${table} add column if not exists words tsvector`),
      compile(sql`create index if not exists ${sql.id(index)} on ${table} using gin (words) where words is not null`),
      compile(sql`create index if not exists ${sql.id(`${index}_due`)} on ${table} (row_no) where words is null`),
    ],
    source: sql`${table} as m`,
    matches: (words) => sql`m.words is not null and m.words @@ ${words}::tsquery`,
    newestFirst: sql`m.row_no desc`,
    query(words) {
      const found = words.flatMap(wordsOf);
      return found.length === 0 ? undefined : found.map((word) => `'${word}'`).join(" & ");
    },
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
            .limit(batchRows)
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

/** Where a batch ends: at its size in bytes, but after one row at least. */
function lastOfBatch(rows: readonly Row[]): unknown {
  let bytes = 0;
  let last: unknown;
  for (const row of rows) {
    bytes += Number(row["bytes"]);
    if (last !== undefined && bytes > batchBytes) break;
    last = row["rowNo"];
  }
  return last;
}

function vectorOf(row: Row): string {
  if (row["role"] === "system") return "";
  const words = new Set(wordsOf(messageText(readMessageBody(String(row["body"])))));
  return [...words].map((word) => `'${word}'`).join(" ");
}
