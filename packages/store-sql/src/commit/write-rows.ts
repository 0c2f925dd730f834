import { recordTables } from "@trunkline/core";
import { sql } from "kysely";
import { encodeRecord } from "../codec/encode.ts";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";
import { insertRecord, insertRow } from "./insert-row.ts";
import type { SessionPlan, TranscriptCopy } from "./session-plan.ts";

const messageColumns = Object.keys(recordTables.message.columns);
const bodyPlace = messageColumns.indexOf("body");
const bytesPlace = messageColumns.indexOf("bytes");

/** The rows that a session's write brings beside its own: copied, unparked and new messages, runs, events and notices. */
export function* writeSessionRows(context: SqlContext, plan: SessionPlan): Steps<void> {
  if (plan.copy !== undefined) yield* copyTranscript(context, plan.id, plan.copy);
  for (const move of plan.moves) yield* moveParkedRow(context, move);
  for (const message of plan.messages) {
    const values = encodeRecord(context.tables.message, message);
    values[bytesPlace] = Buffer.byteLength(String(values[bodyPlace]));
    yield* insertRow(context, "message", values);
  }
  for (const run of plan.runs) yield* insertRecord(context, "run", run);
  for (const event of plan.events) yield* insertRecord(context, "stateEvent", event);
  if (plan.after.watchCount > 0) {
    for (const notice of plan.notices) yield* openNotices(context, plan.id, notice);
  }
}

function* moveParkedRow(
  { shape, tables }: SqlContext,
  move: { readonly id: string; readonly seq: number },
): Steps<void> {
  const unpark = shape("commit.unpark", (db) =>
    db
      .updateTable(tables.message.name)
      .set({ seq: slot("seq") })
      .where("id", "=", slot("id")),
  );
  yield later(unpark.bind({ ...move }));
}

/** Copies inside the database: bodies never travel. The copies belong to no run and carry no dedupe key. */
function* copyTranscript(context: SqlContext, sessionRow: string, copy: TranscriptCopy): Steps<void> {
  const { shape, tables, traits } = context;
  const table = tables.message;
  const seq = sql<number>`${sql.ref("seq")} + ${slot("shift")}`;
  const replaced: Readonly<Record<string, ReturnType<typeof sql>>> = {
    session_row: slot("session"),
    seq,
    id: traits.numberedId(slot("idPrefix"), seq),
    run_id: sql`null`,
    dedupe_key: sql`null`,
  };
  const insert = shape("commit.copy", (db) =>
    db
      .insertInto(table.name)
      .columns(table.columns.map((column) => column.name))
      .expression(
        db
          .selectFrom(table.name)
          .select(table.columns.map(({ name }) => (replaced[name] ?? sql.ref(name)).as(name)))
          .where("session_row", "=", slot("from"))
          .where("seq", ">=", slot("fromSeq"))
          .where("seq", "<=", slot("throughSeq")),
      ),
  );
  const { idPrefix, fromSession: from, fromSeq, throughSeq } = copy;
  const shift = copy.firstSeq - fromSeq;
  yield later(insert.bind({ session: sessionRow, shift, idPrefix, from, fromSeq, throughSeq }));
}

/** One pending notice for each watcher: an open one stays as it is, `material` tells that more happened since. */
function* openNotices(
  { shape, tables }: SqlContext,
  target: string,
  notice: SessionPlan["notices"][number],
): Steps<void> {
  const open = shape("commit.notices", (db) =>
    db
      .updateTable(tables.watch.name)
      .set({
        notified: sql`case when ${sql.ref("notified")} = ${sql.ref("last_seen")} then ${slot("version")} else ${sql.ref("notified")} end`,
        material: slot("version"),
        is_open: 1,
      })
      .where("target_row", "=", slot("target"))
      .where("watcher_row", "<>", slot("actor")),
  );
  yield later(open.bind({ target, version: notice.version, actor: notice.actorRow ?? "" }));
}
