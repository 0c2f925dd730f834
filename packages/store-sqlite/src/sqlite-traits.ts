import type { DialectTraits } from "@trunkline/store-sql";
import { SqliteAdapter, SqliteQueryCompiler, sql } from "kysely";
import { createFts5Index } from "./fts5-index.ts";
import { isUniqueViolation } from "./sqlite-errors.ts";

/** How SQLite says what the shared SQL leaves open. */
export const sqliteTraits: DialectTraits = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  columnTypes: {
    id: "text",
    key: "text",
    name: "text",
    text: "text",
    body: "text",
    json: "text",
    big: "integer",
    int: "integer",
  },
  serialKey: "integer primary key autoincrement",
  numbersMessages: true,
  rowLocks: false,
  partialIndexes: true,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  numberedId: (prefix, number) => sql`${prefix} || printf('%012d', ${number})`,
  isUniqueViolation,
  createMessageIndex: createFts5Index,
};
