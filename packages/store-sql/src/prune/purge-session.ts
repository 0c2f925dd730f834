import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { selectAll, selectFirst } from "../read/select.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";
import { deleteByIds } from "./delete-by-ids.ts";
import type { Pruned } from "./prune-steps.ts";

interface PurgeRequest {
  readonly sessionRow: string;
  readonly limit: number;
}

/**
 * Empties a deleted session batch by batch: transcript, log, watches, epochs; at last its row and those of deleted
 * ancestors, as soon as no descendant lives. Usage and runs stay. A session that was not deleted is left alone.
 * Its row is locked first: two purges of one session follow one another, and neither counts a watch off twice.
 */
export function* purgeSession(context: SqlContext, request: PurgeRequest): Steps<Pruned> {
  const { tables } = context;
  const session = yield* selectFirst(
    context
      .shape("purge.session", (db) => {
        const found = db
          .selectFrom(tables.session.name)
          .select("id")
          .where("id", "=", slot("id"))
          .where("archived", "=", 2);
        return context.traits.rowLocks ? found.forUpdate() : found;
      })
      .bind({ id: request.sessionRow }),
  );
  if (session === undefined) return { removed: 0, more: false };
  const messages = yield* someIds(context, tables.message.name, "session_row", request);
  if (messages.length > 0) {
    yield* context.messageIndex.forget(messages);
    return { removed: yield* deleteByIds(context, tables.message.name, "id", messages), more: true };
  }
  const events = yield* removeEvents(context, request);
  if (events > 0) return { removed: events, more: true };
  const watches = yield* removeWatches(context, request);
  if (watches > 0) return { removed: watches, more: true };
  const { sessionRow } = request;
  const epochs = yield* deleteByIds(context, tables.epoch.name, "session_row", [sessionRow]);
  yield* deleteByIds(context, tables.counter.name, "scope", [`children:${sessionRow}`]);
  return { removed: epochs + (yield* removeDeadBranch(context, sessionRow)), more: false };
}

function* someIds(
  { shape }: SqlContext,
  table: string,
  column: string,
  request: PurgeRequest,
): Steps<readonly string[]> {
  const rows = yield* selectAll(
    shape(`purge.${table}.${column}`, (db) =>
      db.selectFrom(table).select("id").where(column, "=", slot("session")).limit(slot<number>("limit")),
    ).bind({ session: request.sessionRow, limit: request.limit }),
  );
  return rows.map((row) => String(row["id"]));
}

function* removeEvents({ shape, tables }: SqlContext, { sessionRow, limit }: PurgeRequest): Steps<number> {
  const table = tables.stateEvent.name;
  const first = yield* selectFirst(
    shape("purge.firstEvent", (db) =>
      db
        .selectFrom(table)
        .select((eb) => eb.fn.min("version").as("version"))
        .where("session_row", "=", slot("session")),
    ).bind({ session: sessionRow }),
  );
  const version = first?.["version"] ?? null;
  if (version === null) return 0;
  const { changes } = yield shape("purge.events", (db) =>
    db.deleteFrom(table).where("session_row", "=", slot("session")).where("version", "<", slot("below")),
  ).bind({ session: sessionRow, below: Number(version) + limit });
  return changes;
}

/** Both its own watches and those on it; a watched session's `watchCount` follows. */
function* removeWatches(context: SqlContext, request: PurgeRequest): Steps<number> {
  const { shape, tables } = context;
  const targets = yield* selectAll(
    shape("purge.watched", (db) =>
      db
        .selectFrom(tables.watch.name)
        .select("target_row as target")
        .where("watcher_row", "=", slot("session"))
        .orderBy("target_row")
        .limit(slot<number>("limit")),
    ).bind({ session: request.sessionRow, limit: request.limit }),
  );
  for (const { target } of targets) {
    yield shape("purge.watchCount", (db) =>
      db
        .updateTable(tables.session.name)
        .set({ watch_count: sql`${sql.ref("watch_count")} - 1`, version: sql`${sql.ref("version")} + 1` })
        .where("id", "=", slot("target")),
    ).bind({ target });
    yield shape("purge.watch", (db) =>
      db
        .deleteFrom(tables.watch.name)
        .where("watcher_row", "=", slot("session"))
        .where("target_row", "=", slot("target")),
    ).bind({ session: request.sessionRow, target });
  }
  const watchers = yield* someIds(context, tables.watch.name, "target_row", request);
  yield shape("purge.watchers", (db) =>
    db
      .updateTable(tables.session.name)
      .set({ watch_count: sql`${sql.ref("watch_count")} - ${slot("gone")}`, version: sql`${sql.ref("version")} + 1` })
      .where("id", "=", slot("session")),
  ).bind({ session: request.sessionRow, gone: watchers.length });
  return targets.length + (yield* deleteByIds(context, tables.watch.name, "id", watchers));
}

/** The rows of the session and of its deleted and emptied ancestors that have no living descendant. */
function* removeDeadBranch(context: SqlContext, sessionRow: string): Steps<number> {
  const { shape, tables } = context;
  const lineage = tables.lineage.name;
  const dead = yield* selectAll(
    shape("purge.branch", (db) =>
      db
        .selectFrom(`${tables.session.name} as s`)
        .select("s.id as id")
        .where("s.archived", "=", 2)
        .where(
          sql<boolean>`(s.id = ${slot("session")} or s.id in (select ancestor_id from ${sql.table(lineage)} where descendant_id = ${slot("session")}))`,
        )
        .where(
          sql<boolean>`not exists (select 1 from ${sql.table(lineage)} l join ${sql.table(tables.session.name)} d on d.id = l.descendant_id where l.ancestor_id = s.id and d.archived <> 2)`,
        )
        // Its epochs go last: a session that still has one is not empty yet, and its own removal goes on.
        .where(sql<boolean>`not exists (select 1 from ${sql.table(tables.epoch.name)} e where e.session_row = s.id)`),
    ).bind({ session: sessionRow }),
  );
  const ids = dead.map((row) => String(row["id"]));
  yield* deleteByIds(context, lineage, "descendant_id", ids);
  yield* deleteByIds(context, lineage, "ancestor_id", ids);
  return yield* deleteByIds(context, tables.session.name, "id", ids);
}
