import { type SessionRecord, type ToolInput, type ToolResult, visibilityReport } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { scopeOf } from "../sessions/scope.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { enrichRows } from "./enrich-rows.ts";
import { describeRow } from "./session-row.ts";

type Input = ToolInput<"sessions_list">;
type Result = ToolResult<"sessions_list">;

/** `sessions_list`: one page of the sessions in scope, and how to get the next. */
export async function sessionsList(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const found = await engine.store.listSessions({
    scope: scopeOf(engine, caller),
    archived: input.archived,
    limit: input.limit + 1,
    ...filters(engine, input),
    ...position(input),
  });
  const page = found.slice(0, input.limit);
  const hasMore = found.length > input.limit;
  const parents = await visibleParents(engine, caller, page);
  const rows = page.map((session) => describeRow(engine, caller, session, parents));
  const last = page.at(-1);
  const report = visibilityReport(engine.config, caller);
  return {
    count: rows.length,
    sessions: await enrichRows(engine, rows, page, input),
    hasMore,
    ...(hasMore && input.cursor === undefined ? { nextOffset: (input.offset ?? 0) + page.length } : {}),
    ...(hasMore && last ? { nextCursor: writeCursor("list", [last.listRank, last.sessionKey]) } : {}),
    ...(report ? { visibility: report } : {}),
  };
}

function filters(engine: Engine, input: Input) {
  const { kinds, agentId, label, search, pinned, activeMinutes } = input;
  return {
    ...(kinds && kinds.length > 0 ? { kinds } : {}),
    ...(agentId === undefined ? {} : { agentId }),
    ...(label === undefined ? {} : { label }),
    ...(search === undefined ? {} : { search }),
    ...(pinned === undefined ? {} : { pinned }),
    ...(activeMinutes === undefined ? {} : { updatedSince: engine.clock.now() - activeMinutes * 60_000 }),
  };
}

function position(input: Input) {
  if (input.cursor === undefined) return { offset: input.offset ?? 0 };
  const [listRank, sessionKey] = readCursor("sessions_list", "list", input.cursor);
  return { after: { listRank: Number(listRank), sessionKey: String(sessionKey) } };
}

/** Parents whose key a row may name: those that the caller sees too. One query, however many rows. */
async function visibleParents(
  engine: Engine,
  caller: ResolvedCaller,
  page: readonly SessionRecord[],
): Promise<ReadonlyMap<string, SessionRecord>> {
  const ids = [...new Set(page.flatMap(({ parentId }) => (parentId === null ? [] : [parentId])))];
  if (ids.length === 0) return new Map();
  const reads = ids.map((id) => ({ get: "session", key: id }) as const);
  const links = ids.map((id) => ({ get: "lineage", key: `${caller.session.id}\n${id}` }) as const);
  const [parents, lineage] = await Promise.all([engine.store.read(reads), engine.store.read(links)]);
  const scope = scopeOf(engine, caller);
  const visible = parents.filter((parent, index) => {
    if (!parent || parent.deletedAt !== null) return false;
    if (parent.id === caller.session.id || scope.agentIds?.includes(parent.agentId)) return true;
    return scope.descendantsOf !== undefined && lineage[index] !== undefined;
  });
  return new Map(visible.flatMap((parent) => (parent ? [[parent.id, parent]] : [])));
}
