import type { NewMessageRow, NewRun, Route, SessionRecord, SpawnRecord, WatchRecord } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import { announceRoute, isInternalChannel, storedRoute } from "../outbox/session-route.ts";
import { chainOf, newRun } from "../runs/new-run.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import type { ChildIds, SpawnOrder } from "./spawn-order.ts";

/** The record of a new child, with where its completion goes if nothing better is known by then. */
export function newSpawn(order: SpawnOrder, ids: ChildIds, requester: SessionRecord, now: number): SpawnRecord {
  const { caller, input } = order;
  return {
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
    originRoute: originOf(caller, requester),
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
  };
}

/** The first run of a child; it goes on with the chain of the run that spawned it. */
export function firstChildRun(order: SpawnOrder, ids: ChildIds, now: number): NewRun {
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

/** The first visible message of a child. */
export function taskRow(ids: ChildIds, caller: ResolvedCaller, task: string): NewMessageRow {
  return {
    id: ids.message,
    role: "user",
    class: 0,
    runId: ids.run,
    body: { content: `[Subagent Task]\n\n${task}` },
    provenance: { kind: "subagent_task", sourceSessionKey: caller.sessionKey, sourceTool: "sessions_spawn" },
  };
}

/** A parent watches its child from the child's first event on. */
export function parentWatch(ids: ChildIds, requester: SessionRecord): WatchRecord {
  return {
    id: newId(),
    watcherRow: requester.id,
    targetRow: ids.child,
    lastSeen: 1,
    notified: 1,
    material: 1,
    isOpen: 0,
    explicit: 0,
  };
}

// An inside surface, such as the dashboard, never takes over from a stored route to an outside channel.
function originOf({ run }: ResolvedCaller, requester: SessionRecord): Route | null {
  const asked = run?.replyRoute ?? undefined;
  const stored = storedRoute(requester) ?? announceRoute(requester);
  if (asked && !(isInternalChannel(asked.channel) && stored && !isInternalChannel(stored.channel))) return asked;
  return stored ?? null;
}
