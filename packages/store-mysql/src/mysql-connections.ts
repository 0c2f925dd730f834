import type { ConnectionSource, Row, ServerConnection, Statement, StatementResult } from "@trunkline/store-sql";
import type { Pool, PoolConnection, QueryOptions, ResultSetHeader, TypeCast } from "mysql2/promise";
import { expandLargeParameters } from "./large-parameters.ts";

export interface PoolConnectionsOptions {
  readonly pool: Pool;
  /** The pool is this store's own, and ends with it. */
  readonly owned: boolean;
}

const numberTypes = new Set(["TINY", "SHORT", "INT24", "LONG", "LONGLONG", "DECIMAL", "NEWDECIMAL", "FLOAT", "DOUBLE"]);

/** All numbers of the store are below 2^53, and its bytes are texts in UTF-8. */
const typeCast: TypeCast = (field) => {
  const text = field.string("utf8");
  return text !== null && numberTypes.has(field.type) ? Number(text) : text;
};

/** Characters of SQL that are sent at once; at most four bytes each, they stay well below a packet of 16 MiB. */
const maxBatchLength = 2 * 1024 * 1024;

/** Connections of a `mysql2` pool. */
export function poolConnections({ pool, owned }: PoolConnectionsOptions): ConnectionSource {
  return {
    async lend(work) {
      const client = await pool.getConnection();
      let broken = false;
      client.on("error", ignore);
      const batches = acceptsSeveralStatements(client);
      const connection: ServerConnection = {
        batches,
        run: (statements) => (batches ? runTogether(client, statements) : runOneByOne(client, statements)),
        discard() {
          broken = true;
        },
      };
      try {
        return await work(connection);
      } finally {
        client.off("error", ignore);
        if (broken) client.destroy();
        else client.release();
      }
    },
    async close() {
      if (owned) await pool.end();
    },
  };
}

function acceptsSeveralStatements(client: PoolConnection): boolean {
  return client.config.multipleStatements === true;
}

async function runOneByOne(
  client: PoolConnection,
  statements: readonly Statement[],
): Promise<readonly StatementResult[]> {
  const results: StatementResult[] = [];
  for (const { before, statement, after } of statements.map(expandLargeParameters)) {
    for (const each of before) await client.query(options(client.format(each.sql, [...each.parameters])));
    results.push(resultOf((await client.query(options(client.format(statement.sql, [...statement.parameters]))))[0]));
    for (const each of after) await client.query(options(each.sql));
  }
  return results;
}

/** One text of all statements, or several where they are long. */
async function runTogether(
  client: PoolConnection,
  statements: readonly Statement[],
): Promise<readonly StatementResult[]> {
  const results: StatementResult[] = [];
  let texts: string[] = [];
  let wanted: boolean[] = [];
  let length = 0;

  async function send(): Promise<void> {
    if (texts.length === 0) return;
    const [answer] = await client.query(options(texts.join(";\n")));
    const answers: readonly unknown[] = texts.length === 1 ? [answer] : (answer as unknown[]);
    for (const [number, each] of answers.entries()) if (wanted[number]) results.push(resultOf(each));
    texts = [];
    wanted = [];
    length = 0;
  }

  async function add(statement: Statement, isWanted: boolean): Promise<void> {
    const text = client.format(statement.sql, [...statement.parameters]);
    if (length > 0 && length + text.length > maxBatchLength) await send();
    texts.push(text);
    wanted.push(isWanted);
    length += text.length;
  }

  for (const { before, statement, after } of statements.map(expandLargeParameters)) {
    for (const each of before) await add(each, false);
    await add(statement, true);
    for (const each of after) await add(each, false);
  }
  await send();
  return results;
}

function options(sql: string): QueryOptions {
  return { sql, typeCast, rowsAsArray: false, nestTables: false };
}

function resultOf(answer: unknown): StatementResult {
  if (Array.isArray(answer)) return { rows: answer as Row[], changes: 0 };
  return { rows: [], changes: (answer as ResultSetHeader).affectedRows };
}

function ignore(): void {
  // The operation that uses the connection reports its loss.
}
