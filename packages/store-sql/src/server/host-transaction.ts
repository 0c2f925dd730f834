import { TrunklineError } from "@trunkline/core";
import type { SqlExecutor } from "../dialect.ts";
import type { Statement } from "../statement.ts";
import { type KyselyInstance, kyselyConnections } from "./kysely-connections.ts";
import type { ServerDialect } from "./server-dialect.ts";
import { createServerExecutor } from "./server-executor.ts";

const plain = (sql: string): Statement => ({ sql, parameters: [] });

/**
 * Runs operations on a Kysely instance. On a transaction each one is a savepoint, a read too, so that an error leaves the
 * transaction usable, and nothing is tried again: only the caller can begin a transaction anew.
 */
export function createKyselyExecutor(kysely: KyselyInstance, dialect: ServerDialect, description: string): SqlExecutor {
  const source = kyselyConnections(kysely, dialect);
  if (!kysely.isTransaction) return createServerExecutor({ source, dialect, description });
  const savepoint = [plain("savepoint trunkline")];
  const inTransaction: ServerDialect = {
    ...dialect,
    begin: savepoint,
    beginQuery: savepoint,
    beginSnapshot: savepoint,
    commit: plain("release savepoint trunkline"),
    rollback: plain("rollback to savepoint trunkline"),
  };
  const executor = createServerExecutor({ source, dialect: inTransaction, description, retries: false });
  if (dialect.transactionalSchema) return executor;
  return {
    ...executor,
    migrate: async () => {
      throw new TrunklineError("store_unavailable", `${description} cannot change its schema inside a transaction.`, {
        fix: "Call migrate() once on a store outside of the transaction.",
      });
    },
  };
}
