import type { DialectTraits } from "@trunkline/store-sql";
import { MysqlAdapter, MysqlQueryCompiler, type QueryCompiler, sql } from "kysely";
import { joinUpdates } from "./join-updates.ts";
import { kindOf } from "./mysql-errors.ts";
import { createWordTableIndex } from "./word-table-index.ts";

/** How MySQL and MariaDB say what the shared SQL leaves open. */
export const mysqlTraits: DialectTraits = {
  createAdapter: () => new MysqlAdapter(),
  createQueryCompiler,
  // Collations differ between the two families, and the one they share ignores blanks at the end: bytes do neither.
  columnTypes: {
    id: "varbinary(36)",
    key: "varbinary(512)",
    name: "varbinary(190)",
    text: "varbinary(2048)",
    body: "longtext",
    json: "longtext",
    big: "bigint",
    int: "int",
  },
  serialKey: "bigint not null auto_increment primary key",
  numbersMessages: true,
  tableOptions: "engine = innodb row_format = dynamic default charset = utf8mb4 collate = utf8mb4_bin",
  rowLocks: true,
  inlineIndexes: true,
  contains: (text, part) => sql`locate(${part}, ${text}) > 0`,
  numberedId: (prefix, number) => sql`concat(${prefix}, lpad(${number}, 12, '0'))`,
  // What a transaction costs besides its rows is much.
  commitsAtOnce: 16,
  // An index that holds all that is asked for may be walked from end to end, past rows that others hold: no index holds
  // the version.
  lockAtOnce: (table, ids) =>
    sql`select count(version) from ${sql.table(table)} force index (primary) where id in (${sql.join(ids)}) for update nowait`,
  joinUpdates,
  isUniqueViolation: (error) => kindOf(error) === "unique",
  createMessageIndex: createWordTableIndex,
};

function createQueryCompiler(): QueryCompiler {
  const compiler = new MysqlQueryCompiler();
  return {
    compileQuery(node, queryId) {
      const query = compiler.compileQuery(node, queryId);
      return { ...query, sql: withPrimaryKey(query.sql) };
    },
  };
}

const keyedUpdate = /^update (`\w+`) set (.* where `(?:id|scope|scope_hash|route_hash|session_id)` = \?)/s;

/**
 * MariaDB may walk another index for an update by key, and then misses a row whose place in that index moves meanwhile,
 * or runs into a deadlock. The key of `messages` is another one.
 */
function withPrimaryKey(text: string): string {
  return text.replace(keyedUpdate, (whole, table: string, rest: string) =>
    table.endsWith("messages`") ? whole : `update ${table} force index (primary) set ${rest}`,
  );
}
