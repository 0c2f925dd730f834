import type { SqlContext } from "../context.ts";
import { selectAll } from "../read/select.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";
import { deleteByIds } from "./delete-by-ids.ts";
import type { Pruned } from "./prune-steps.ts";

/** Removes keys that expired before a time. */
export function* pruneIdempotency(
  context: SqlContext,
  { before, limit }: { readonly before: number; readonly limit: number },
): Steps<Pruned> {
  const table = context.tables.idempotency.name;
  const rows = yield* selectAll(
    context
      .shape("prune.idempotency", (db) =>
        db
          .selectFrom(table)
          .select("scope_hash as id")
          .where("expires_at", "<", slot("before"))
          .orderBy("expires_at")
          .limit(slot<number>("limit")),
      )
      .bind({ before, limit }),
  );
  const ids = rows.map((row) => String(row["id"]));
  return { removed: yield* deleteByIds(context, table, "scope_hash", ids), more: rows.length === limit };
}
