import { randomUUID } from "node:crypto";
import { firstParkedSeq, type SessionWrite } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectAll, selectFirst } from "../read/select.ts";
import { columnName } from "../schema/column-name.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";
import { require } from "./guard-failed.ts";
import { isReset } from "./plan-session.ts";
import { type ParkedRow, plannedColumns, type SessionState, type TranscriptCopy } from "./session-plan.ts";

const plannedSelection = plannedColumns.map((column) => `${columnName(column)} as ${column}`);

/** Locks the session's row for the rest of the transaction and reads it; fails the commit when there is none. */
export function* lockSession({ shape, tables, traits }: SqlContext, id: string): Steps<SessionState> {
  const statement = shape("commit.lock", (db) => {
    const query = db.selectFrom(tables.session.name).select(plannedSelection).where("id", "=", slot("id"));
    return traits.rowLocks ? query.forUpdate() : query;
  }).bind({ id });
  const row = yield* selectFirst(statement);
  require(row !== undefined);
  return row as SessionState;
}

/** The session's parked rows in arrival order, where the write may move them. */
export function* readParkedRows(
  { shape, tables }: SqlContext,
  write: SessionWrite,
  before: SessionState,
): Steps<readonly ParkedRow[]> {
  if (before.pendingRows === 0 || (write.unpark === undefined && !isReset(write, before))) return [];
  const statement = shape("commit.parked", (db) =>
    db
      .selectFrom(tables.message.name)
      .select(["id", "seq"])
      .where("session_row", "=", slot("session"))
      .where("seq", ">=", slot("firstParked"))
      .orderBy("seq"),
  ).bind({ session: write.id, firstParked: firstParkedSeq });
  return (yield* selectAll(statement)).map((row) => ({ id: String(row["id"]), seq: Number(row["seq"]) }));
}

/** Works out which rows a fork copies: those of the source's current incarnation, without parked ones. */
export function* readCopy(
  { shape, tables }: SqlContext,
  write: SessionWrite,
): Steps<Omit<TranscriptCopy, "firstSeq"> | undefined> {
  if (write.copy === undefined) return undefined;
  const { fromSession } = write.copy;
  const source = yield* selectFirst(
    shape("commit.copySource", (db) =>
      db
        .selectFrom(tables.session.name)
        .select(["first_seq as firstSeq", "last_seq as lastSeq", "title_message as titleMessage"])
        .where("id", "=", slot("id")),
    ).bind({ id: fromSession }),
  );
  require(source !== undefined);
  const fromSeq = Number(source["firstSeq"]);
  const throughSeq = Math.min(write.copy.throughSeq, Number(source["lastSeq"]));
  if (throughSeq < fromSeq) return undefined;
  const range = { session: fromSession, from: fromSeq, through: throughSeq };
  const title = yield* selectFirst(
    shape("commit.copyTitle", (db) =>
      db
        .selectFrom(tables.message.name)
        .select("seq")
        .where("id", "=", slot("id"))
        .where("seq", ">=", slot("from"))
        .where("seq", "<=", slot("through")),
    ).bind({ ...range, id: source["titleMessage"] }),
  );
  const shown = yield* selectFirst(
    shape("commit.copyShown", (db) =>
      db
        .selectFrom(tables.message.name)
        .select("seq")
        .where("session_row", "=", slot("session"))
        .where("class", "=", 0)
        .where("seq", ">=", slot("from"))
        .where("seq", "<=", slot("through"))
        .orderBy("seq", "desc")
        .limit(1),
    ).bind(range),
  );
  return {
    fromSession,
    fromSeq,
    throughSeq,
    idPrefix: randomUUID().slice(0, 24),
    titleSeq: title === undefined ? null : Number(title["seq"]),
    lastShownSeq: shown === undefined ? null : Number(shown["seq"]),
  };
}
