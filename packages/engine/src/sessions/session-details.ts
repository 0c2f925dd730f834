import {
  effectiveModel,
  effectiveThinking,
  type Route,
  resolveAgent,
  type SessionRecord,
  type ToolResult,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { announceRoute, storedRoute } from "../outbox/session-route.ts";
import { describeChildren } from "../spawns/child-row.ts";
import { newestChildren } from "../spawns/read-spawns.ts";
import { decideAccess } from "./find-target.ts";
import type { ResolvedCaller } from "./resolved-caller.ts";
import { statusOf } from "./session-status-word.ts";

/** What `session_status` knows about a session. */
export type SessionDetails = Extract<ToolResult<"session_status">, { details: unknown }>["details"];

export interface DetailsOptions {
  readonly changesSince?: number | undefined;
  /** Who reads; a session key in the log is shown only where the reader may see that session. `undefined`: the operator. */
  readonly caller: ResolvedCaller | undefined;
}

const eventsAtMost = 200;
const tasksAtMost = 20;

/** Gathers the state of a session; no text of a message and no part of a credential is in it. */
export async function sessionDetails(
  engine: Engine,
  session: SessionRecord,
  options: DetailsOptions,
): Promise<SessionDetails> {
  const [active] = await engine.store.read([{ get: "run", key: session.activeRunId ?? "" }]);
  const recent = await newestChildren(engine, session.id, tasksAtMost);
  const children = await describeChildren(engine, recent);
  const thinking = effectiveThinking(engine.config, session.agentId, session.thinking ?? undefined);
  const now = engine.clock.now();
  return {
    sessionKey: session.sessionKey,
    sessionId: session.sessionId,
    agentId: session.agentId,
    kind: session.kind,
    ...(session.label === null ? {} : { label: session.label }),
    usage: await usageOf(engine, session),
    model: modelOf(engine, session, active?.model ?? null),
    ...(thinking === undefined ? {} : { thinking }),
    time: { now: new Date(now).toISOString(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    run: {
      status: statusOf(session),
      ...(active ? { runId: active.id } : {}),
      ...(active?.startedAt ? { startedAt: active.startedAt } : {}),
      abortedLastRun: session.abortedLastRun === 1,
    },
    ...(session.goal === null ? {} : { goal: session.goal }),
    tasks: children.map(({ runId, childSessionKey, label, task, status, outcome, delivery }) => ({
      runId,
      childSessionKey,
      ...(label === undefined ? {} : { label }),
      task,
      status,
      ...(outcome === undefined ? {} : { outcome }),
      ...(delivery === undefined ? {} : { delivery }),
    })),
    route: routeOf(session, active?.replyRoute ?? null, options.caller),
    stateVersion: session.stateVersion,
    ...(options.changesSince === undefined
      ? {}
      : { stateChanges: await changesSince(engine, session, options.changesSince, options.caller) }),
  };
}

async function usageOf(engine: Engine, session: SessionRecord): Promise<SessionDetails["usage"]> {
  const { nanoUsd } = await engine.store.sumUsage({ sessionRow: session.id });
  const children = await engine.store.sumUsage({ parentRow: session.id });
  const cost = (nanoUsd + children.nanoUsd) / 1e9;
  return {
    inputTokens: session.inputTokens + children.inputTokens,
    outputTokens: session.outputTokens + children.outputTokens,
    totalTokens: session.totalTokens + children.totalTokens,
    contextTokens: session.contextTokens,
    ...(cost > 0 ? { costUsd: cost } : {}),
  };
}

function modelOf(engine: Engine, session: SessionRecord, running: string | null): SessionDetails["model"] {
  const effective = running ?? effectiveModel(engine.config, session.agentId, session.model ?? undefined);
  const agentDefault = resolveAgent(engine.config, session.agentId).model;
  return {
    ...(effective === undefined ? {} : { effective }),
    ...(session.model === null ? {} : { override: session.model }),
    ...(agentDefault === undefined ? {} : { agentDefault }),
  };
}

function routeOf(
  session: SessionRecord,
  active: Route | null,
  caller: ResolvedCaller | undefined,
): NonNullable<SessionDetails["route"]> {
  const named = announceRoute(session);
  const origin = session.origin ?? (named ? { channel: named.channel, to: named.to } : undefined);
  const delivery = storedRoute(session);
  const own = caller?.run !== undefined && caller.session.id === session.id;
  return {
    ...(origin ? { origin } : {}),
    ...(own && active ? { active } : {}),
    ...(delivery ? { deliveryContext: delivery } : {}),
  };
}

async function changesSince(
  engine: Engine,
  session: SessionRecord,
  since: number,
  caller: ResolvedCaller | undefined,
): Promise<NonNullable<SessionDetails["stateChanges"]>> {
  const [rows] = await engine.store.read([
    { find: "stateEvent", index: "version", equals: [session.id], from: since + 1, limit: eventsAtMost + 1 },
  ]);
  const events = rows.slice(0, eventsAtMost);
  const hidden = await hiddenKeys(engine, events, caller);
  return {
    events: events.map(({ version, kind, actorKind, actorId, at, data }) => ({
      version,
      kind,
      actor: { type: actorKind, ...(actorId === null ? {} : { id: actorId }) },
      at,
      ...(data.outcome === undefined ? {} : { outcome: data.outcome }),
      ...(data.childSessionKey === undefined || hidden.has(data.childSessionKey)
        ? {}
        : { childSessionKey: data.childSessionKey }),
    })),
    truncated: rows.length > eventsAtMost,
    historyGap: since < session.eventsPrunedTo,
  };
}

async function hiddenKeys(
  engine: Engine,
  events: readonly { readonly data: { readonly childSessionKey?: string } }[],
  caller: ResolvedCaller | undefined,
): Promise<ReadonlySet<string>> {
  if (!caller) return new Set();
  const keys = [...new Set(events.flatMap(({ data }) => data.childSessionKey ?? []))];
  const found = await engine.store.read(
    keys.map((key) => ({ find: "session", index: "sessionKey", equals: [key], limit: 1 }) as const),
  );
  const hidden = new Set<string>();
  for (const [index, key] of keys.entries()) {
    const session = found[index]?.[0];
    if (!session || !(await decideAccess(engine, caller, session, "read", false)).allowed) hidden.add(key);
  }
  return hidden;
}
