import { effectiveModel, type SessionRecord, type ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { storedRoute } from "../outbox/session-route.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { statusOf } from "../sessions/session-status-word.ts";

/** One session as `sessions_list` shows it, enrichment apart. */
export type SessionRow = Extract<ToolResult<"sessions_list">, { sessions: unknown }>["sessions"][number];

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
  return {
    key: own ? "main" : session.sessionKey,
    sessionId: session.sessionId,
    agentId: session.agentId,
    kind: session.kind,
    channel: session.channel,
    ...present("label", session.label),
    ...present("displayName", session.displayName),
    updatedAt: session.updatedAt,
    createdAt: session.createdAt,
    ...present("model", model ?? null),
    ...(session.contextTokens > 0 ? { contextTokens: session.contextTokens } : {}),
    ...(session.totalTokens > 0 ? { totalTokens: session.totalTokens } : {}),
    ...present("thinkingLevel", session.thinking),
    ...present("verboseLevel", session.settings.verboseLevel ?? null),
    systemSent: session.systemSent === 1,
    abortedLastRun: session.abortedLastRun === 1,
    ...(session.sendPolicy === null ? {} : { sendPolicy: session.sendPolicy }),
    ...present("goal", session.goal),
    pinned: session.pinned === 1,
    archived: session.archived === 1,
    ...(parent ? { spawnedBy: parent.sessionKey } : {}),
    status: statusOf(session),
    stateVersion: session.stateVersion,
    ...present("lastChannel", session.lastChannel),
    ...present("lastTo", session.lastTo),
    ...(route ? { deliveryContext: route } : {}),
  };
}

function present<K extends string>(name: K, value: string | null): { readonly [P in K]?: string } {
  if (value === null) return {};
  const field: { [P in K]?: string } = {};
  field[name] = value;
  return field;
}
