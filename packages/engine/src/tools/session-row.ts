import { effectiveModel, type SessionRecord, type ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { storedRoute } from "../outbox/session-route.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { statusOf } from "../sessions/session-status-word.ts";

/** One session as `sessions_list` shows it, enrichment apart. */
export type SessionRow = Extract<ToolResult<"sessions_list">, { sessions: unknown }>["sessions"][number];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Describes a row; under `session.scope: "global"` the caller's own is shown as `main`. */
export function describeRow(
  engine: Engine,
  caller: ResolvedCaller,
  session: SessionRecord,
  parents: ReadonlyMap<string, SessionRecord>,
): SessionRow {
  const parent = session.parentId === null ? undefined : parents.get(session.parentId);
  const own = session.id === caller.session.id && engine.config.session.scope === "global" && session.kind === "main";
  const model = effectiveModel(engine.config, session.agentId, session.model ?? undefined);
  const route = storedRoute(session);
  const row: Mutable<SessionRow> = {
    key: own ? "main" : session.sessionKey,
    sessionId: session.sessionId,
    agentId: session.agentId,
    kind: session.kind,
    channel: session.channel,
    updatedAt: session.updatedAt,
    createdAt: session.createdAt,
    systemSent: session.systemSent === 1,
    abortedLastRun: session.abortedLastRun === 1,
    pinned: session.pinned === 1,
    archived: session.archived === 1,
    status: statusOf(session),
    stateVersion: session.stateVersion,
  };
  // Set one by one: a list has up to 200 rows, and spreading each optional field would cost more than reading them.
  if (session.label !== null) row.label = session.label;
  if (session.displayName !== null) row.displayName = session.displayName;
  if (model !== undefined) row.model = model;
  if (session.contextTokens > 0) row.contextTokens = session.contextTokens;
  if (session.totalTokens > 0) row.totalTokens = session.totalTokens;
  if (session.thinking !== null) row.thinkingLevel = session.thinking;
  if (session.settings.verboseLevel !== undefined) row.verboseLevel = session.settings.verboseLevel;
  if (session.sendPolicy !== null) row.sendPolicy = session.sendPolicy;
  if (session.goal !== null) row.goal = session.goal;
  if (parent) row.spawnedBy = parent.sessionKey;
  if (session.lastChannel !== null) row.lastChannel = session.lastChannel;
  if (session.lastTo !== null) row.lastTo = session.lastTo;
  if (route) row.deliveryContext = route;
  return row;
}
