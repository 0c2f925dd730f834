import { type RefusalResult, type Route, type RunRecord, resolveAgent, type SessionRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId, newOpaqueId } from "../identifiers.ts";
import { routeHash } from "../outbox/new-delivery.ts";
import { rememberKey } from "../runs/idempotency.ts";
import { addSession } from "../sessions/ensure-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";
import { firstChildRun, newSpawn, parentWatch, taskRow } from "./new-spawn.ts";
import { repeatedSpawn } from "./repeated-spawn.ts";
import type { AcceptedSpawn, ChildIds, SpawnOrder } from "./spawn-order.ts";

/** Commits child, run, reservation and lineage together; a refusal has left nothing behind. */
export async function admitSpawn(engine: Engine, order: SpawnOrder): Promise<AcceptedSpawn | RefusalResult> {
  const ids: ChildIds = { child: newId(), run: newId(), spawn: newId(), entry: newId(), message: newId() };
  const childSessionKey = `agent:${order.agentId}:subagent:${newOpaqueId()}`;
  const admitted = await decide(engine, () => plan(engine, order, ids, childSessionKey));
  if (admitted.status === "accepted") engine.faultPoint("spawn.after-commit");
  return admitted;
}

/** Why a session may have no further child now; asked before a thread is opened, and again in the commit. */
export async function refuseSpawner(engine: Engine, caller: ResolvedCaller): Promise<RefusalResult | undefined> {
  const limit = maxChildrenOf(engine, caller);
  const [requester, counter] = await engine.store.read([
    { get: "session", key: caller.session.id },
    { get: "counter", key: childrenScope(caller.session.id) },
  ]);
  if (!requester || requester.deletedAt !== null) return requesterGone;
  if (caller.run && !isActive(requester, caller.run)) return runIsOver;
  if (requester.archived === 1) return requesterArchived;
  return (counter?.used ?? 0) >= limit ? childrenLimit(limit) : undefined;
}

/** The counter of a session's active children. */
export function childrenScope(sessionRow: string): string {
  return `children:${sessionRow}`;
}

async function plan(
  engine: Engine,
  order: SpawnOrder,
  ids: ChildIds,
  childSessionKey: string,
): Promise<Plan<AcceptedSpawn | RefusalResult>> {
  const { caller, input, idempotency } = order;
  const known = await repeatedSpawn(engine, idempotency);
  if (known && "status" in known) return { answer: known };
  const refusal = await refuseSpawner(engine, caller);
  if (refusal) return { answer: refusal };
  const [requester, binding] = await engine.store.read([
    { get: "session", key: caller.session.id },
    { get: "binding", key: order.boundRoute ? routeHash(order.boundRoute) : "" },
  ]);
  if (!requester) return { answer: requesterGone };
  if (order.boundRoute && binding?.state !== "creating") return { answer: bindingLost };
  const now = engine.clock.now();
  const draft = createDraft();
  const result: AcceptedSpawn = {
    status: "accepted",
    runId: ids.run,
    childSessionKey,
    context: order.context,
    ...(order.model === undefined ? {} : { model: order.model }),
    ...(order.note === undefined ? {} : { note: order.note }),
  };
  addRequester(draft, order, requester, childSessionKey);
  addChild(engine, draft, order, { ids, requester, childSessionKey, now });
  draft.counter({ scope: childrenScope(requester.id), by: 1, atMost: maxChildrenOf(engine, caller) });
  draft.record({ kind: "spawn", insert: newSpawn(order, ids, requester, now) });
  draft.record({ kind: "watch", insert: parentWatch(ids, requester) });
  if (binding) {
    draft.record({
      kind: "binding",
      key: binding.routeHash,
      when: { state: "creating", owner: binding.owner },
      set: { state: "bound", sessionRow: ids.child, owner: null, expiresAt: null },
    });
  }
  if (idempotency) {
    for (const write of rememberKey(idempotency, { runId: ids.run, result: { ...result } }, now)) draft.record(write);
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
  return { commit: draft, answer: result };
}

function isActive({ activeRunId, activeFence }: SessionRecord, { id, fence }: RunRecord): boolean {
  return activeRunId === id && activeFence === fence;
}

function addRequester(
  draft: TransactionDraft,
  { caller }: SpawnOrder,
  requester: SessionRecord,
  childSessionKey: string,
): void {
  const write = draft.session(requester.id).when({ deleted: false, archived: false }).touchFamily().log({
    kind: "child_spawned",
    actorKind: "agent",
    actorId: requester.agentId,
    data: { childSessionKey },
    actorRow: requester.id,
  });
  if (caller.run) write.when({ activeRun: { id: caller.run.id, fence: caller.run.fence } });
}

function addChild(
  engine: Engine,
  draft: TransactionDraft,
  order: SpawnOrder,
  to: {
    readonly ids: ChildIds;
    readonly requester: SessionRecord;
    readonly childSessionKey: string;
    readonly now: number;
  },
): void {
  const { caller, input, boundRoute } = order;
  const { ids, requester } = to;
  const child = addSession(engine, draft, ids.child, {
    sessionKey: to.childSessionKey,
    agentId: order.agentId,
    parent: requester,
    fields: {
      sandboxed: order.sandboxed ? 1 : 0,
      label: input.label ?? null,
      model: order.model ?? null,
      thinking: order.thinking ?? null,
      ...(boundRoute ? boundFields(boundRoute) : {}),
    },
  });
  if (order.context === "fork") child.copy({ fromSession: requester.id, throughSeq: requester.lastSeq });
  child
    .append({ from: "outside", messages: [taskRow(ids, caller, input.task)] })
    .enqueue(firstChildRun(order, ids, to.now))
    .add({ watchCount: 1 });
}

function boundFields(route: Route) {
  const { channel, to, accountId } = route;
  return { route, origin: route, lastChannel: channel, lastTo: to, lastAccount: accountId ?? null, channel };
}

function maxChildrenOf(engine: Engine, { agentId }: ResolvedCaller): number {
  return resolveAgent(engine.config, agentId).subagents.maxChildrenPerAgent;
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
const runIsOver: RefusalResult = {
  status: "error",
  code: "run_cancelled",
  error: "this run is over; nothing was spawned",
};
const requesterArchived: RefusalResult = {
  status: "error",
  code: "archived",
  error: "this session is archived and spawns no sub-agents",
};
const bindingLost: RefusalResult = {
  status: "error",
  code: "thread_unsupported",
  error: "binding failed: the thread was taken by another session meanwhile",
};
