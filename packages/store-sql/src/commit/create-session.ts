import type { NewSession, SessionRecord, SessionWrite } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectFirst } from "../read/select.ts";
import { sessionSearchText } from "../search/fold-text.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";
import { require } from "./guard-failed.ts";
import { insertRecord } from "./insert-row.ts";
import { listRank } from "./plan-session.ts";
import type { SessionPlan } from "./session-plan.ts";

export interface Ancestry {
  readonly rootId: string;
  readonly spawnDepth: number;
}

/** The tree that a new session joins, or the one it begins; a missing parent fails the commit. */
export function* readAncestry({ shape, tables }: SqlContext, id: string, create: NewSession): Steps<Ancestry> {
  if (create.parentId === undefined) return { rootId: id, spawnDepth: 0 };
  const parent = yield* selectFirst(
    shape("commit.parent", (db) =>
      db
        .selectFrom(tables.session.name)
        .select(["root_id as rootId", "spawn_depth as spawnDepth"])
        .where("id", "=", slot("id")),
    ).bind({ id: create.parentId }),
  );
  require(parent !== undefined);
  return { rootId: String(parent["rootId"]), spawnDepth: Number(parent["spawnDepth"]) + 1 };
}

/** The row of a new session before the rest of its write is applied. */
export function newSessionRecord(id: string, create: NewSession, ancestry: Ancestry, at: number): SessionRecord {
  const record: SessionRecord = {
    id,
    sessionKey: create.sessionKey,
    sessionId: create.sessionId,
    agentId: create.agentId,
    kind: create.kind,
    channel: create.channel,
    label: null,
    displayName: null,
    model: null,
    thinking: null,
    settings: {},
    sandboxed: 0,
    rootId: ancestry.rootId,
    parentId: create.parentId ?? null,
    spawnDepth: ancestry.spawnDepth,
    route: null,
    origin: null,
    lastChannel: null,
    lastTo: null,
    lastAccount: null,
    archived: 0,
    pinned: 0,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    listRank: 0,
    lastHumanAt: null,
    firstSeq: 1,
    lastSeq: 0,
    pendingNo: 0,
    pendingRows: 0,
    titleMessage: null,
    lastMessage: null,
    lastRunNo: 0,
    queuedRuns: 0,
    activeRunId: null,
    activeFence: 0,
    stateVersion: 0,
    eventsPrunedTo: 0,
    familyVersion: 0,
    openYields: 0,
    sendPolicy: null,
    goal: null,
    abortedLastRun: 0,
    systemSent: 0,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    contextTokens: 0,
    watchCount: 0,
    version: 0,
    ...create.fields,
  };
  return { ...record, listRank: listRank(record) };
}

/** Inserts the planned row of a new session. */
export function* insertSession(
  context: SqlContext,
  created: SessionRecord,
  { set }: SessionWrite,
  plan: SessionPlan,
  stamp: number,
): Steps<void> {
  const record: SessionRecord = { ...created, ...set, ...plan.after };
  yield* insertRecord(context, "session", { ...record, stamp, searchText: sessionSearchText(record) });
}

/** The closure rows of a new session: one for each ancestor. */
export function* insertLineage({ shape, tables }: SqlContext, id: string, parentId: string): Steps<void> {
  const lineage = tables.lineage.name;
  const ancestors = shape("commit.lineage", (db) =>
    db
      .insertInto(lineage)
      .columns(["ancestor_id", "descendant_id", "distance"])
      .expression(
        db
          .selectFrom(lineage)
          .select((eb) => ["ancestor_id", slot("id").as("descendant_id"), eb("distance", "+", 1).as("distance")])
          .where("descendant_id", "=", slot("parent")),
      ),
  );
  const parent = shape("commit.parentLineage", (db) =>
    db.insertInto(lineage).values({ ancestor_id: slot("parent"), descendant_id: slot("id"), distance: 1 }),
  );
  for (const insert of [ancestors, parent]) yield later(insert.bind({ id, parent: parentId }));
}
