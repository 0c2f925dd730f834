import type { SessionRecord, SessionWrite } from "@trunkline/core";
import { encodeColumn } from "../codec/encode.ts";
import type { SqlContext } from "../context.ts";
import { selectFirst } from "../read/select.ts";
import { columnsIn } from "../schema/physical-tables.ts";
import { type SearchedSession, searchedProperties, sessionSearchText } from "../search/fold-text.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";
import { require } from "./guard-failed.ts";
import type { PlannedColumn, SessionPlan } from "./session-plan.ts";

// No index holds any of them. SQLite is given all of them every time, so that few different statements arise; a server,
// to which texts and values travel, only those that change.
const countedColumns: readonly PlannedColumn[] = [
  "firstSeq",
  "lastSeq",
  "pendingNo",
  "pendingRows",
  "titleMessage",
  "lastMessage",
  "lastRunNo",
  "queuedRuns",
  "activeRunId",
  "activeFence",
  "stateVersion",
  "familyVersion",
  "openYields",
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "watchCount",
  "version",
];

export interface SessionStamps {
  /** That of the row which the write was worked out from; undefined when it was read and locked just now. */
  readonly known: number | undefined;
  readonly next: number;
}

/** The session's single update, guarded by the version that was read and, for a remembered row, by its stamp. */
export function* updateSession(
  context: SqlContext,
  { set = {} }: SessionWrite,
  plan: SessionPlan,
  stamps: SessionStamps,
): Steps<void> {
  const { id, before, after } = plan;
  const changes: Record<string, unknown> = { ...set, stamp: stamps.next };
  for (const column of countedColumns) {
    if (!context.traits.rowLocks || after[column] !== before[column]) changes[column] = after[column];
  }
  if (set.updatedAt !== undefined || set.pinned !== undefined) changes["listRank"] = after.listRank;
  if (searchedProperties.some((property) => set[property] !== undefined)) {
    changes["searchText"] = yield* searchTextAfter(context, id, changes);
  }
  const table = context.tables.session;
  const columns = columnsIn(table, changes);
  const isKnown = stamps.known !== undefined;
  const mark = plan.messages.length > 0 || plan.copy !== undefined ? context.messageIndex.sessionMark : undefined;
  const statement = context.shape(
    `commit.session ${isKnown} ${mark} ${columns.map((column) => column.property).join()}`,
    (db) => {
      const update = db
        .updateTable(table.name)
        .set({
          ...Object.fromEntries(columns.map((column) => [column.name, slot(column.property)])),
          ...(mark === undefined ? {} : { [mark]: slot("mark") }),
        })
        .where("id", "=", slot("id"))
        .where("version", "=", slot("versionRead"));
      return isKnown ? update.where("stamp", "=", slot("stampKnown")) : update;
    },
  );
  const values: Record<string, unknown> = { id, versionRead: before.version, stampKnown: stamps.known, mark: 1 };
  for (const column of columns) values[column.property] = encodeColumn(column, changes[column.property]);
  const { changes: matched } = yield later(statement.bind(values), 1);
  require(matched === 1);
}

function* searchTextAfter({ shape, tables }: SqlContext, id: string, changes: Partial<SessionRecord>): Steps<string> {
  const row = yield* selectFirst(
    shape("commit.searched", (db) =>
      db
        .selectFrom(tables.session.name)
        .select(tables.session.selection.filter((_, index) => isSearched(tables.session.columns[index]?.property)))
        .where("id", "=", slot("id")),
    ).bind({ id }),
  );
  return sessionSearchText({ ...(row as SearchedSession | undefined), ...changes } as SearchedSession);
}

function isSearched(property: string | undefined): boolean {
  return searchedProperties.some((searched) => searched === property);
}
