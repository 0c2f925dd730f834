import { createHash } from "node:crypto";
import type { ConnectionSource, ServerConnection, Statement, StatementResult } from "@trunkline/store-sql";
import type { CustomTypesConfig, Pool, PoolClient, QueryConfig } from "pg";
import { isFatal } from "./postgres-errors.ts";

export interface PoolConnectionsOptions {
  readonly pool: Pool;
  /** The pool is this store's own, and ends with it. */
  readonly owned: boolean;
  /** Statements are prepared once a connection under a name; not behind a transaction pooler. */
  readonly named: boolean;
}

// int2, int4, int8, float8, numeric: all numbers of the store are whole and below 2^53.
const numberTypes = new Set([21, 23, 20, 701, 1700]);
const types = {
  getTypeParser: (oid: number) => (numberTypes.has(oid) ? Number : (text: string) => text),
} as CustomTypesConfig;

const maxNamedParameters = 64;

/** Connections of a `pg` pool. */
export function poolConnections({ pool, owned, named }: PoolConnectionsOptions): ConnectionSource {
  const names = new Map<string, string>();
  // A connection that dies while nobody uses it is reported here; the pool replaces it.
  pool.on("error", ignore);

  function nameOf(sql: string): string {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const name = `trunkline_${createHash("sha256").update(sql).digest("base64url").slice(0, 22)}`;
    names.set(sql, name);
    return name;
  }

  function query({ sql, parameters }: Statement): QueryConfig {
    if (parameters.length === 0 && !sql.startsWith("select")) return { text: sql };
    const values = [...parameters];
    const isNamed = named && parameters.length <= maxNamedParameters;
    return isNamed ? { name: nameOf(sql), text: sql, values, types } : { text: sql, values, types };
  }

  async function runOn(client: PoolClient, statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    const results: StatementResult[] = [];
    if (!client.pipeline) {
      for (const statement of statements) results.push(resultOf(await client.query(query(statement))));
      return results;
    }
    const answers = await Promise.allSettled(statements.map((statement) => client.query(query(statement))));
    for (const answer of answers) {
      if (answer.status === "rejected") throw answer.reason;
      results.push(resultOf(answer.value));
    }
    return results;
  }

  return {
    async lend(work) {
      const client = await pool.connect();
      let broken = false;
      client.on("error", ignore);
      const connection: ServerConnection = {
        batches: client.pipeline,
        async run(statements) {
          try {
            return await runOn(client, statements);
          } catch (error) {
            broken ||= isFatal(error);
            throw error;
          }
        },
        discard() {
          broken = true;
        },
      };
      try {
        return await work(connection);
      } finally {
        client.off("error", ignore);
        client.release(broken);
      }
    },
    async close() {
      // An own pool goes on being listened to: it may report a connection that dies while it ends.
      if (owned) await pool.end();
      else pool.off("error", ignore);
    },
  };
}

function resultOf(result: {
  readonly rows: StatementResult["rows"];
  readonly rowCount: number | null;
}): StatementResult {
  return { rows: result.rows, changes: result.rowCount ?? 0 };
}

function ignore(): void {
  // The operation that uses the connection reports its loss.
}
