import type { Outcome, SpawnRecord, UsageTotals } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import { addCascade } from "../maintenance/add-cascade.ts";
import { childrenScope } from "./admit-spawn.ts";
import { buildCompletionBody } from "./completion-body.ts";
import { addCompletionDelivery } from "./completion-delivery.ts";
import { addCompletionEntry, livingRequester, type Settling } from "./completion-entry.ts";
import { disposeOfCompletion } from "./dispose-completion.ts";
import { unsettledChildren } from "./read-spawns.ts";

export interface Settlement {
  readonly outcome: Outcome;
  /** The text that becomes the result, raw. */
  readonly text: string | null;
  readonly skipped: boolean;
  readonly error: string | undefined;
  /** Usage of the run that is ending in this very transaction. */
  readonly extraUsage: UsageTotals | undefined;
}

/**
 * Ends a spawn: one entry in the requester's transcript, one free child slot, and one disposition, chosen here unless
 * the requester's run that spawned it still goes on. `settling.session` is the child's.
 */
export async function settleSpawn(settling: Settling, spawn: SpawnRecord, settlement: Settlement): Promise<void> {
  const { engine, draft, now, session: child } = settling;
  const requester = await livingRequester(engine, spawn);
  const settled: SpawnRecord = {
    ...spawn,
    state: "settled",
    outcome: settlement.outcome,
    body: await bodyOf(settling, spawn, settlement),
    skipped: settlement.skipped ? 1 : 0,
    error: settlement.error ?? null,
    settledAt: now,
    deadlineAt: null,
  };
  await freeSlot(settling, spawn);
  if (requester) addCompletionEntry(settling, settled, requester);
  const disposed = requester
    ? await disposeOfCompletion(settling, settled, requester)
    : { held: 0, deliveryId: addCompletionDelivery(draft, { spawn: settled, requester, child, now }) };
  const { outcome, body, skipped, error } = settled;
  draft.record({
    kind: "spawn",
    key: spawn.id,
    when: { version: spawn.version },
    set: { state: "settled", outcome, body, skipped, error, settledAt: now, deadlineAt: null, ...disposed },
    add: { version: 1 },
  });
  await addFollowUps(settling, settled);
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

async function bodyOf({ engine, now, session }: Settling, spawn: SpawnRecord, settlement: Settlement): Promise<string> {
  return buildCompletionBody({
    outcome: settlement.outcome,
    text: settlement.text,
    error: settlement.error,
    runtimeMs: spawn.startedAt === null ? undefined : now - spawn.startedAt,
    usage: plus(await engine.store.sumUsage({ sessionRow: session.id }), settlement.extraUsage),
    sessionKey: session.sessionKey,
    sessionId: session.sessionId,
  });
}

// The counter goes with a purged requester, before its last child has settled.
async function freeSlot({ engine, draft }: Settling, { requesterRow }: SpawnRecord): Promise<void> {
  const scope = childrenScope(requesterRow);
  const [counter] = await engine.store.read([{ get: "counter", key: scope }]);
  if (counter && counter.used > 0) draft.counter({ scope, by: -1 });
}

/** A child that was stopped takes its own children with it; one that is to be deleted goes when all is settled. */
async function addFollowUps({ engine, draft, now, session }: Settling, spawn: SpawnRecord): Promise<void> {
  if (spawn.cleanup === "delete") {
    const job = { id: newId(), kind: "cleanup_child", ref: spawn.id, dueAt: now, attempts: 0, owner: null } as const;
    draft.record({ kind: "job", insert: job });
  }
  if (spawn.outcome !== "cancelled" && spawn.outcome !== "timeout") return;
  if ((await unsettledChildren(engine, session.id)).length > 0)
    await addCascade(engine, draft, `session:${session.id}`, now);
}

function plus(totals: UsageTotals, more: UsageTotals | undefined): UsageTotals {
  if (!more) return totals;
  return {
    inputTokens: totals.inputTokens + more.inputTokens,
    outputTokens: totals.outputTokens + more.outputTokens,
    totalTokens: totals.totalTokens + more.totalTokens,
    nanoUsd: totals.nanoUsd + more.nanoUsd,
    runs: totals.runs + more.runs,
  };
}
