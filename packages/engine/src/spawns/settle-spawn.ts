import {
  crossingText,
  type Outcome,
  type SessionRecord,
  type SpawnRecord,
  type Usage,
  type UsageTotals,
} from "@trunkline/core";
import { newId } from "../identifiers.ts";
import type { Closing } from "../runs/closing.ts";
import { isEnded } from "../runs/run-states.ts";
import { handOverTo, resumeRun } from "../yields/plan-yield.ts";
import { queueChildAnnounce } from "./announce-child.ts";
import { buildCompletionBody } from "./completion-body.ts";
import { addCompletionDelivery } from "./completion-delivery.ts";
import { queueContinuation } from "./continue-child.ts";

export interface Settlement {
  readonly outcome: Outcome;
  /** The text that becomes the result. */
  readonly text: string | null;
  readonly skipped: boolean;
  readonly error: string | undefined;
  /** Usage of the run that is ending in this very transaction. */
  readonly extraUsage: Usage | undefined;
}

type Settling = Pick<Closing, "engine" | "draft" | "now" | "session">;

/**
 * Ends a spawn: one entry in the requester's transcript, one free child slot, and one disposition, chosen here unless
 * the requester's run that spawned it still goes on. `closing.session` is the child's.
 */
export async function settleSpawn(closing: Settling, spawn: SpawnRecord, settlement: Settlement): Promise<void> {
  const { engine, draft, now, session: child } = closing;
  const requester = await livingRequester(closing, spawn);
  const body = buildCompletionBody({
    outcome: settlement.outcome,
    text: settlement.text === null ? null : crossingText(settlement.text),
    error: settlement.error,
    runtimeMs: spawn.startedAt === null ? undefined : now - spawn.startedAt,
    usage: plus(await engine.store.sumUsage({ sessionRow: child.id }), settlement.extraUsage),
    sessionKey: child.sessionKey,
    sessionId: child.sessionId,
  });
  const settled: SpawnRecord = {
    ...spawn,
    state: "settled",
    outcome: settlement.outcome,
    body,
    skipped: settlement.skipped ? 1 : 0,
    error: settlement.error ?? null,
    settledAt: now,
    deadlineAt: null,
  };
  draft.counter({ scope: `children:${spawn.requesterRow}`, by: -1 });
  if (requester) addEntry(closing, settled, requester);
  const disposed = requester
    ? await dispose(closing, settled, requester)
    : { held: 0, deliveryId: addCompletionDelivery(draft, { spawn: settled, requester, child, now }) };
  draft.record({
    kind: "spawn",
    key: spawn.id,
    when: { version: spawn.version },
    set: {
      state: "settled",
      outcome: settled.outcome,
      body,
      skipped: settled.skipped,
      error: settled.error,
      settledAt: now,
      deadlineAt: null,
      ...disposed,
    },
    add: { version: 1 },
  });
  if (spawn.cleanup === "delete") addCleanup(closing, spawn);
  draft.hint({ about: "session", id: spawn.requesterRow });
  draft.event({
    type: "child_settled",
    at: now,
    sessionKey: child.sessionKey,
    runId: spawn.runId,
    agentId: child.agentId,
    outcome: settlement.outcome,
    ...(requester ? { parentSessionKey: requester.sessionKey } : {}),
    ...(spawn.label === null ? {} : { label: spawn.label }),
    ...(spawn.startedAt === null ? {} : { durationMs: now - spawn.startedAt }),
  });
}

async function livingRequester({ engine }: Settling, spawn: SpawnRecord): Promise<SessionRecord | undefined> {
  const [requester, ancestors] = await engine.store.read([
    { get: "session", key: spawn.requesterRow },
    { find: "lineage", index: "descendant", equals: [spawn.requesterRow], limit: 10 },
  ]);
  if (requester && requester.deletedAt === null) return requester;
  for (const { ancestorId } of ancestors) {
    const [ancestor] = await engine.store.read([{ get: "session", key: ancestorId }]);
    if (ancestor && ancestor.deletedAt === null) return ancestor;
  }
  return undefined;
}

function addEntry({ draft, session: child, now }: Settling, spawn: SpawnRecord, requester: SessionRecord): void {
  draft
    .session(requester.id)
    .when({ deleted: false, familyVersion: requester.familyVersion })
    .touchFamily()
    .set({ updatedAt: now })
    .append({
      from: "outside",
      messages: [
        {
          id: spawn.entryId,
          role: "user",
          class: 0,
          body: { content: spawn.body ?? "" },
          provenance: {
            kind: "subagent_completion",
            sourceSessionKey: child.sessionKey,
            sourceTool: "sessions_spawn",
            runId: spawn.runId,
          },
          dedupeKey: `completion:${spawn.runId}`,
        },
      ],
    });
}

type Disposed = Pick<SpawnRecord, "held" | "deliveryId">;

async function dispose(closing: Settling, spawn: SpawnRecord, requester: SessionRecord): Promise<Disposed> {
  const { engine, draft, now } = closing;
  const own = requester.id === spawn.requesterRow;
  const [waiting, spawning, siblings, parents] = await engine.store.read([
    { get: "yield", key: spawn.yieldId ?? "" },
    { get: "run", key: spawn.requesterRunId ?? "" },
    { find: "spawn", index: "requester", equals: [spawn.requesterRow], limit: 1000 },
    { find: "spawn", index: "child", equals: [requester.id], limit: 1 },
  ]);
  if (own && waiting?.state === "waiting") {
    await resumeWhenLast(closing, spawn, requester, siblings);
    return {
      held: 0,
      deliveryId: addCompletionDelivery(draft, { spawn, requester, child: closing.session, handedOver: true, now }),
    };
  }
  if (own && spawning && !isEnded(spawning)) return { held: 1, deliveryId: null };
  const parent = parents[0];
  if (own && parent?.state === "waiting_children") {
    const pending = siblings.some(({ id, state }) => id !== spawn.id && state !== "settled");
    if (!pending) await continueParent(closing, spawn, requester, parent, siblings);
  }
  return { held: 0, deliveryId: addCompletionDelivery(draft, { spawn, requester, child: closing.session, now }) };
}

async function resumeWhenLast(
  { engine, draft, now }: Settling,
  spawn: SpawnRecord,
  requester: SessionRecord,
  siblings: readonly SpawnRecord[],
): Promise<void> {
  const [waiting] = await engine.store.read([{ get: "yield", key: spawn.yieldId ?? "" }]);
  const [yielded] = await engine.store.read([{ get: "run", key: waiting?.runId ?? "" }]);
  if (!waiting || !yielded) return;
  const last = waiting.pending === 1;
  draft.record({
    kind: "yield",
    key: waiting.id,
    when: { state: "waiting", pending: waiting.pending },
    set: last ? { state: "resumed" } : {},
    add: { pending: -1 },
  });
  if (!last) return;
  const resume = resumeRun(
    yielded,
    waiting.id,
    siblings.filter(({ yieldId }) => yieldId === waiting.id),
    now,
  );
  draft.session(requester.id).add({ openYields: -1 }).enqueue(resume);
  handOverTo(draft, yielded, resume.id);
}

async function continueParent(
  closing: Settling,
  spawn: SpawnRecord,
  session: SessionRecord,
  parent: SpawnRecord,
  siblings: readonly SpawnRecord[],
): Promise<void> {
  const { engine, draft, now } = closing;
  const [cause] = await engine.store.read([{ get: "run", key: parent.currentRunId }]);
  if (!cause) return;
  if (parent.continued === 1) {
    queueChildAnnounce(draft, { spawn: parent, session, captured: parent.captured, cause, now });
    return;
  }
  const children = siblings.filter(({ yieldId, id }) => yieldId === null || id === spawn.id);
  queueContinuation(draft, { spawn: parent, session, children, cause, now });
}

function addCleanup({ draft, now }: Settling, spawn: SpawnRecord): void {
  draft.record({
    kind: "job",
    insert: { id: newId(), kind: "cleanup_child", ref: spawn.id, dueAt: now, attempts: 0, owner: null },
  });
}

function plus(totals: UsageTotals, usage: Usage | undefined): UsageTotals {
  if (!usage) return totals;
  const input = usage.inputTokens ?? 0;
  const output = usage.outputTokens ?? 0;
  return {
    inputTokens: totals.inputTokens + input,
    outputTokens: totals.outputTokens + output,
    totalTokens: totals.totalTokens + (usage.totalTokens ?? input + output),
    nanoUsd: totals.nanoUsd + Math.round((usage.costUsd ?? 0) * 1e9),
    runs: totals.runs + 1,
  };
}
