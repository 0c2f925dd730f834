import type { RefusalResult, Route, ToolInput } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId, newOpaqueId } from "../identifiers.ts";
import { routeHash } from "../outbox/new-delivery.ts";
import { announceRoute, storedRoute } from "../outbox/session-route.ts";
import { idempotencyLifetimeMs } from "../runs/admit-message.ts";
import { chainOf, newRun } from "../runs/new-run.ts";
import { addSession } from "../sessions/ensure-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft } from "../transaction-draft.ts";

/** Everything that was checked before a spawn is admitted. */
export interface SpawnOrder {
  readonly caller: ResolvedCaller;
  readonly input: ToolInput<"sessions_spawn">;
  readonly agentId: string;
  readonly sandboxed: boolean;
  readonly model: string | undefined;
  readonly thinking: string | undefined;
  readonly context: "isolated" | "fork";
  readonly note: string | undefined;
  readonly mode: "run" | "session";
  readonly runTimeoutSeconds: number;
  readonly boundRoute: Route | undefined;
  readonly idempotency: { readonly scopeHash: string; readonly fingerprint: string } | undefined;
}

export interface AdmittedSpawn {
  readonly runId: string;
  readonly childSessionKey: string;
}

/** Commits child, run, reservation and lineage together; a refusal has left nothing behind. */
export async function admitSpawn(engine: Engine, order: SpawnOrder): Promise<AdmittedSpawn | RefusalResult> {
  const childSessionKey = `agent:${order.agentId}:subagent:${newOpaqueId()}`;
  const admitted = await decide(engine, () => plan(engine, order, childSessionKey));
  if ("runId" in admitted) engine.faultPoint("spawn.after-commit");
  return admitted;
}

async function plan(
  engine: Engine,
  order: SpawnOrder,
  childSessionKey: string,
): Promise<Plan<AdmittedSpawn | RefusalResult>> {
  const { caller, input, idempotency } = order;
  const limit = maxChildren(engine, caller.agentId);
  const [requester, counter] = await engine.store.read([
    { get: "session", key: caller.session.id },
    { get: "counter", key: `children:${caller.session.id}` },
  ]);
  const now = engine.clock.now();
  if (!requester || requester.deletedAt !== null) return { answer: requesterGone };
  if (requester.archived === 1) return { answer: requesterArchived };
  if ((counter?.used ?? 0) >= limit) return { answer: childrenLimit(limit) };
  const draft = createDraft();
  const ids = { child: newId(), run: newId(), spawn: newId(), entry: newId(), message: newId() };
  const parent = draft.session(requester.id).when({ deleted: false, archived: false }).touchFamily().log({
    kind: "child_spawned",
    actorKind: "agent",
    actorId: requester.agentId,
    data: { childSessionKey },
    actorRow: requester.id,
  });
  if (caller.run) parent.when({ activeRun: { id: caller.run.id, fence: caller.run.fence } });
  const child = addSession(engine, draft, ids.child, {
    sessionKey: childSessionKey,
    agentId: order.agentId,
    parent: requester,
    fields: {
      sandboxed: order.sandboxed ? 1 : 0,
      label: input.label ?? null,
      model: order.model ?? null,
      thinking: order.thinking ?? null,
      ...(order.boundRoute ? boundFields(order.boundRoute) : {}),
    },
  });
  if (order.context === "fork") child.copy({ fromSession: requester.id, throughSeq: requester.lastSeq });
  child
    .append({ from: "outside", messages: [taskRow(ids.message, ids.run, caller, input.task)] })
    .enqueue(childRun(order, ids, now));
  draft.counter({ scope: `children:${requester.id}`, by: 1, atMost: limit });
  draft.record({
    kind: "spawn",
    insert: {
      id: ids.spawn,
      runId: ids.run,
      childRow: ids.child,
      requesterRow: requester.id,
      requesterRunId: caller.run?.id ?? null,
      currentRunId: ids.run,
      state: "running",
      outcome: null,
      continued: 0,
      held: 0,
      yieldId: null,
      entryId: ids.entry,
      captured: null,
      body: null,
      skipped: 0,
      boundRoute: order.boundRoute ?? null,
      originRoute: caller.run?.replyRoute ?? storedRoute(requester) ?? announceRoute(requester) ?? null,
      cleanup: input.cleanup,
      mode: order.mode,
      runtime: "subagent",
      label: input.label ?? null,
      task: input.task,
      model: order.model ?? null,
      error: null,
      deliveryId: null,
      createdAt: now,
      startedAt: null,
      deadlineAt: null,
      settledAt: null,
      cleanedAt: null,
      version: 0,
    },
  });
  draft.record({
    kind: "watch",
    insert: {
      id: newId(),
      watcherRow: requester.id,
      targetRow: ids.child,
      lastSeen: 1,
      notified: 1,
      material: 1,
      isOpen: 0,
      explicit: 0,
    },
  });
  child.add({ watchCount: 1 });
  if (order.boundRoute) {
    const hash = routeHash(order.boundRoute);
    draft.record({
      kind: "binding",
      key: hash,
      set: { state: "bound", sessionRow: ids.child, owner: null, expiresAt: null },
    });
  }
  if (idempotency) {
    draft.record({
      kind: "idempotency",
      insert: {
        ...idempotency,
        runId: ids.run,
        result: {
          childSessionKey,
          context: order.context,
          ...(order.model === undefined ? {} : { model: order.model }),
        },
        expiresAt: now + idempotencyLifetimeMs,
      },
    });
  }
  draft.hint({ about: "run", id: ids.run });
  draft.hint({ about: "session", id: requester.id });
  draft.event({
    type: "run_queued",
    at: now,
    sessionKey: childSessionKey,
    runId: ids.run,
    agentId: order.agentId,
    kind: "child",
    parentSessionKey: requester.sessionKey,
    ...(input.label === undefined ? {} : { label: input.label }),
  });
  return { commit: draft, answer: { runId: ids.run, childSessionKey } };
}

function childRun(
  order: SpawnOrder,
  ids: { readonly child: string; readonly run: string; readonly spawn: string; readonly message: string },
  now: number,
) {
  const { caller } = order;
  const chain = caller.run
    ? { ...chainOf(caller.run), path: [...caller.run.path, ids.child] }
    : { chainId: ids.run, hop: 0, path: [caller.session.id, ids.child], guarded: 0 };
  return newRun(
    {
      id: ids.run,
      cause: `child:${ids.spawn}`,
      kind: "child",
      lane: "subagent",
      ...chain,
      spawnId: ids.spawn,
      inputIds: [ids.message],
      parentRunId: caller.run?.id ?? null,
      causeSessionKey: caller.sessionKey,
      model: order.model ?? null,
      limitMs: order.runTimeoutSeconds > 0 ? order.runTimeoutSeconds * 1000 : null,
    },
    now,
  );
}

function taskRow(id: string, runId: string, caller: ResolvedCaller, task: string) {
  return {
    id,
    role: "user" as const,
    class: 0 as const,
    runId,
    body: { content: `[Subagent Task]\n\n${task}` },
    provenance: { kind: "subagent_task" as const, sourceSessionKey: caller.sessionKey, sourceTool: "sessions_spawn" },
  };
}

function boundFields(route: Route) {
  return { route, origin: route, lastChannel: route.channel, lastTo: route.to, channel: route.channel };
}

function maxChildren(engine: Engine, agentId: string): number {
  const own = engine.config.agents.list.find(({ id }) => id === agentId)?.subagents?.maxChildrenPerAgent;
  return own ?? engine.config.agents.defaults.subagents.maxChildrenPerAgent;
}

function childrenLimit(limit: number): RefusalResult {
  return {
    status: "forbidden",
    code: "children_limit",
    error: `this session has ${limit} active sub-agents, as many as it may have; wait for one to end, or cancel one`,
  };
}

const requesterGone: RefusalResult = {
  status: "error",
  code: "session_changed",
  error: "this session was deleted while it asked for a sub-agent",
};
const requesterArchived: RefusalResult = {
  status: "error",
  code: "archived",
  error: "this session is archived and spawns no sub-agents",
};
