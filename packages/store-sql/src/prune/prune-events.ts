import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { selectAll } from "../read/select.ts";
import { slot } from "../shapes.ts";
import type { Row, Steps } from "../statement.ts";
import type { Pruned } from "./prune-steps.ts";

interface EventRetention {
  readonly before: number;
  readonly keepPerSession: number;
  readonly limit: number;
}

/** Removes events from the old end of each log, by age and by number; the newest of a log stays, and `eventsPrunedTo` tells the gap. */
export function* pruneEvents(context: SqlContext, retention: EventRetention): Steps<Pruned> {
  const aged = yield* agedLogs(context, retention);
  const logs = aged.length > 0 ? aged : yield* longLogs(context, retention);
  let removed = 0;
  let left = retention.limit;
  for (const log of [...logs].sort((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1))) {
    const through = Math.min(Number(log["through"]), Number(log["prunedTo"]) + left);
    if (left <= 0) break;
    removed += yield* cutLog(context, String(log["id"]), through);
    left -= through - Number(log["prunedTo"]);
  }
  return { removed, more: logs.length > 0 };
}

function* agedLogs({ shape, tables }: SqlContext, { before, limit }: EventRetention): Steps<readonly Row[]> {
  return yield* selectAll(
    shape("prune.agedLogs", (db) => {
      const aged = db
        .selectFrom(`${tables.stateEvent.name} as e`)
        .innerJoin(`${tables.session.name} as s`, "s.id", "e.session_row")
        .select(["s.id as id", "s.events_pruned_to as prunedTo", "e.version as version"])
        .where("e.at", "<", slot("before"))
        .where(sql<boolean>`${sql.ref("e.version")} < ${sql.ref("s.state_version")}`)
        .orderBy("e.at")
        .limit(slot<number>("limit"));
      return db
        .selectFrom(aged.as("aged"))
        .select((eb) => ["id", "prunedTo", eb.fn.max("version").as("through")])
        .groupBy(["id", "prunedTo"]);
    }).bind({ before, limit }),
  );
}

function* longLogs({ shape, tables }: SqlContext, { keepPerSession, limit }: EventRetention): Steps<readonly Row[]> {
  return yield* selectAll(
    shape("prune.longLogs", (db) =>
      db
        .selectFrom(tables.session.name)
        .select([
          "id",
          "events_pruned_to as prunedTo",
          sql`${sql.ref("state_version")} - ${slot("keep")}`.as("through"),
        ])
        .where(sql<boolean>`${sql.ref("state_version")} - ${sql.ref("events_pruned_to")} > ${slot("keep")}`)
        .limit(slot<number>("limit")),
    ).bind({ keep: Math.max(1, keepPerSession), limit }),
  );
}

function* cutLog({ shape, tables }: SqlContext, session: string, through: number): Steps<number> {
  yield shape("prune.prunedTo", (db) =>
    db
      .updateTable(tables.session.name)
      .set({ events_pruned_to: slot("through") })
      .where("id", "=", slot("session")),
  ).bind({ session, through });
  const { changes } = yield shape("prune.log", (db) =>
    db
      .deleteFrom(tables.stateEvent.name)
      .where("session_row", "=", slot("session"))
      .where("version", "<=", slot("through")),
  ).bind({ session, through });
  return changes;
}
