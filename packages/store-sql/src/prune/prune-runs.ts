import { type RawBuilder, sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { selectAll } from "../read/select.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";
import { deleteByIds } from "./delete-by-ids.ts";
import type { Pruned } from "./prune-steps.ts";

interface RunRetention {
  readonly before: number;
  readonly limit: number;
}

/** Removes runs that ended before a time with their flows, yields and deliveries, and settled spawns; never what something open refers to. */
export function* pruneRuns(context: SqlContext, retention: RunRetention): Steps<Pruned> {
  const { tables } = context;
  const rows = yield* endedRuns(context, retention);
  const runs = rows.map((row) => String(row["id"]));
  yield* deleteByIds(context, tables.flow.name, "primary_run_id", runs);
  yield* deleteByIds(context, tables.yield.name, "run_id", runs);
  yield* deleteByIds(context, tables.delivery.name, "run_id", runs);
  const removed = yield* deleteByIds(context, tables.run.name, "id", runs);
  for (const chain of new Set(rows.map((row) => String(row["chain"])))) yield* dropChainCounter(context, chain);
  const spawns = yield* settledSpawns(context, retention);
  yield* deleteByIds(context, tables.spawn.name, "id", spawns);
  return {
    removed: removed + spawns.length,
    more: runs.length === retention.limit || spawns.length === retention.limit,
  };
}

function* endedRuns({ shape, tables }: SqlContext, retention: RunRetention) {
  const run = (column: string) => sql.ref(`r.${column}`);
  const named = (name: string) => sql.table(name);
  return yield* selectAll(
    shape("prune.endedRuns", (db) => {
      const open: readonly RawBuilder<unknown>[] = [
        sql`${named(tables.flow.name)} o where o.id = ${run("flow_id")} and o.phase <> 'done'`,
        sql`${named(tables.flow.name)} o where o.requester_run_id = ${run("id")} and o.phase <> 'done'`,
        sql`${named(tables.spawn.name)} o where o.id = ${run("spawn_id")} and o.state <> 'settled'`,
        sql`${named(tables.spawn.name)} o where o.requester_run_id = ${run("id")} and o.state <> 'settled'`,
        sql`${named(tables.yield.name)} o where o.run_id = ${run("id")} and o.state = 'waiting'`,
        sql`${named(tables.delivery.name)} o where o.run_id = ${run("id")} and o.state in ('pending', 'sending')`,
        sql`${named(tables.run.name)} o where o.root_run_id = ${run("id")} and o.ended_at is null`,
        sql`${named(tables.run.name)} o where o.parent_run_id = ${run("id")} and o.ended_at is null`,
        sql`${named(tables.run.name)} o where o.id = ${run("successor_id")} and o.ended_at is null`,
        sql`${named(tables.idempotency.name)} o where o.run_id = ${run("id")}`,
      ];
      let query = db
        .selectFrom(`${tables.run.name} as r`)
        .select(["r.id as id", "r.chain_id as chain"])
        .where("r.ended_at", "<", slot("before"));
      for (const reference of open) query = query.where(sql<boolean>`not exists (select 1 from ${reference})`);
      return query.orderBy("r.ended_at").limit(slot<number>("limit"));
    }).bind({ ...retention }),
  );
}

/** Spawns stay while their child is live: its archiving still reads them. */
function* settledSpawns({ shape, tables }: SqlContext, retention: RunRetention): Steps<readonly string[]> {
  const rows = yield* selectAll(
    shape("prune.settledSpawns", (db) =>
      db
        .selectFrom(`${tables.spawn.name} as p`)
        .select("p.id as id")
        .where("p.state", "=", "settled")
        .where("p.settled_at", "<", slot("before"))
        .where(
          sql<boolean>`not exists (select 1 from ${sql.table(tables.session.name)} o where o.id = ${sql.ref("p.child_row")} and o.archived = 0)`,
        )
        .where(
          sql<boolean>`not exists (select 1 from ${sql.table(tables.yield.name)} o where o.id = ${sql.ref("p.yield_id")} and o.state = 'waiting')`,
        )
        .where(
          sql<boolean>`not exists (select 1 from ${sql.table(tables.delivery.name)} o where o.id = ${sql.ref("p.delivery_id")} and o.state in ('pending', 'sending'))`,
        )
        .orderBy("p.settled_at")
        .limit(slot<number>("limit")),
    ).bind({ ...retention }),
  );
  return rows.map((row) => String(row["id"]));
}

function* dropChainCounter({ shape, tables }: SqlContext, chain: string): Steps<void> {
  yield shape("prune.chain", (db) =>
    db
      .deleteFrom(tables.counter.name)
      .where("scope", "=", slot("scope"))
      .where(sql<boolean>`not exists (select 1 from ${sql.table(tables.run.name)} where chain_id = ${slot("chain")})`),
  ).bind({ scope: `chain:${chain}`, chain });
}
