import { recordTables } from "@trunkline/core";
import { CompiledQuery, type QueryResult } from "kysely";
import type { Row, Statement, StatementResult } from "../statement.ts";
import type { ConnectionSource, ServerConnection } from "./connections.ts";
import type { ExpandedStatement, ServerDialect } from "./server-dialect.ts";

/** What is used of a `Kysely` instance, or of a `Transaction`, whatever its tables are. */
export interface KyselyInstance {
  readonly isTransaction: boolean;
  withoutPlugins(): KyselyInstance;
  connection(): { execute<T>(work: (connection: KyselyInstance) => Promise<T>): Promise<T> };
  executeQuery(query: CompiledQuery): Promise<QueryResult<unknown>>;
}

type KyselyOptions = Pick<ServerDialect, "expand">;

const unchanged = (statement: Statement): ExpandedStatement => ({ before: [], statement, after: [] });

/** Connections of a Kysely instance, or the one of a transaction, where operations take turns. */
export function kyselyConnections(kysely: KyselyInstance, { expand = unchanged }: KyselyOptions): ConnectionSource {
  const plain = kysely.withoutPlugins();
  let turn: Promise<unknown> = Promise.resolve();
  const connectionOf = (lent: KyselyInstance): ServerConnection => ({
    batches: false,
    async run(statements) {
      const results: StatementResult[] = [];
      for (const { before, statement, after } of statements.map(expand)) {
        for (const each of before) await execute(lent, each);
        results.push(await execute(lent, statement));
        for (const each of after) await execute(lent, each);
      }
      return results;
    },
    discard: () => undefined,
  });

  return {
    async lend(work) {
      if (!plain.isTransaction) return await plain.connection().execute((lent) => work(connectionOf(lent)));
      const result = turn.then(() => work(connectionOf(plain)));
      turn = result.catch(() => undefined);
      return await result;
    },
    close: async () => undefined,
  };
}

async function execute(kysely: KyselyInstance, { sql, parameters }: Statement): Promise<StatementResult> {
  const { rows, numAffectedRows } = await kysely.executeQuery(CompiledQuery.raw(sql, [...parameters]));
  return { rows: rows.map((row) => normalRow(row as Row)), changes: Number(numAffectedRows ?? 0) };
}

const numberProperties = new Set(
  Object.values(recordTables).flatMap(({ columns }) =>
    Object.entries(columns).flatMap(([property, { type }]) => (type === "big" || type === "int" ? [property] : [])),
  ),
);

/** Drivers give whole numbers as texts or bigints, bytes as buffers and JSON as objects, as their owner set them up. */
function normalRow(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, normalValue(name, value)]));
}

function normalValue(name: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" && numberProperties.has(name)) return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  // Decoded once more from the text, by the one who knows the column.
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
