import { createHash } from "node:crypto";
import type { ConnectionSource, ServerConnection, Statement, StatementResult } from "@trunkline/store-sql";
import { Client, type CustomTypesConfig, type Pool, type PoolClient } from "pg";
import { isFatal } from "./postgres-errors.ts";
import { isNumberType, runBatch } from "./statement-batch.ts";

export interface PoolConnectionsOptions {
  readonly pool: Pool;
  /** The pool is this store's own, and ends with it. */
  readonly owned: boolean;
  /** Statements are prepared once a connection under a name; not behind a transaction pooler. */
  readonly named: boolean;
}

const maxNamedParameters = 64;

/** Connections of a `pg` pool. */
export function poolConnections({ pool, owned, named }: PoolConnectionsOptions): ConnectionSource {
  const names = new Map<string, string>();
  // A connection that dies while nobody uses it is reported here; the pool replaces it.
  pool.on("error", ignore);

  /** Empty for what is run seldom, or in many forms; inserts of many rows come in few. */
  function nameOf({ sql, parameters }: Statement): string {
    if (!named || parameters.length === 0) return "";
    if (parameters.length > maxNamedParameters && !sql.startsWith("insert")) return "";
    const known = names.get(sql);
    if (known !== undefined) return known;
    const name = `trunkline_${createHash("sha256").update(sql).digest("base64url").slice(0, 22)}`;
    names.set(sql, name);
    return name;
  }

  return {
    async lend(work) {
      const client = await pool.connect();
      let broken = false;
      client.on("error", ignore);
      const isBatched = client instanceof Client;
      const connection: ServerConnection = {
        batches: isBatched,
        commits: isBatched && named,
        async run(statements) {
          try {
            return await (isBatched ? runBatch(client, statements, nameOf) : runOneByOne(client, statements));
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

const types = {
  getTypeParser: (oid: number) => (isNumberType(oid) ? Number : (text: string) => text),
} as CustomTypesConfig;

/** For clients of another copy of `pg`, or of its native one. */
async function runOneByOne(client: PoolClient, statements: readonly Statement[]): Promise<readonly StatementResult[]> {
  const results: StatementResult[] = [];
  for (const { sql, parameters } of statements) {
    const { rows, rowCount } = await client.query({ text: sql, values: [...parameters], types });
    results.push({ rows, changes: rowCount ?? 0 });
  }
  return results;
}

function ignore(): void {
  // The operation that uses the connection reports its loss.
}
