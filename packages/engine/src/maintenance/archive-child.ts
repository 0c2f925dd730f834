import { resolveAgent, type SpawnRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { isTerminal } from "../outbox/delivery-states.ts";
import { statusOf } from "../sessions/session-status-word.ts";
import { unsettledChildren } from "../spawns/read-spawns.ts";
import { createDraft } from "../transaction-draft.ts";

/** What looking at an ended child came to: when to look again, or never. */
export type ArchiveLook = { readonly againAt: number } | "done";

const lookAgainMs = 60_000;
const deliveriesAtMost = 200;

/**
 * Archives one ended child when its time has come by today's configuration: `archiveAfterMinutes` after its end, or after
 * the last message of a child in mode `session`; never while it, its own children or its deliveries are at work. Nothing
 * is deleted. A child that somebody takes out of the archive again stays there, unless it lives in a thread.
 */
export async function archiveChild(engine: Engine, spawnId: string): Promise<ArchiveLook> {
  return decide(engine, () => plan(engine, spawnId));
}

/** The milliseconds after which an ended child of an agent is archived; 0 = never. */
export function archiveAfterMs(engine: Engine, agentId: string): number {
  return resolveAgent(engine.config, agentId).subagents.archiveAfterMinutes * 60_000;
}

async function plan(engine: Engine, spawnId: string): Promise<Plan<ArchiveLook>> {
  const [spawn] = await engine.store.read([{ get: "spawn", key: spawnId }]);
  if (!spawn || spawn.settledAt === null || spawn.cleanedAt !== null || spawn.cleanup === "delete") {
    return { answer: "done" };
  }
  const [session] = await engine.store.read([{ get: "session", key: spawn.childRow }]);
  if (!session || session.deletedAt !== null) return { answer: "done" };
  const after = archiveAfterMs(engine, session.agentId);
  if (after === 0) return { answer: "done" };
  const stays = spawn.mode === "session";
  const now = engine.clock.now();
  const dueAt = Math.max(spawn.settledAt, stays ? session.updatedAt : 0) + after;
  if (session.archived === 1) return { answer: stays ? { againAt: now + after } : "done" };
  if (dueAt > now) return { answer: { againAt: dueAt } };
  const busy = statusOf(session) !== "idle" || (await hasPending(engine, spawn));
  if (busy) return { answer: { againAt: now + lookAgainMs } };
  const draft = createDraft();
  draft
    .session(session.id)
    .when({ archived: false, deleted: false, activeRun: null, version: session.version })
    .set({ archived: 1 })
    .log({ kind: "archived", actorKind: "system", actorId: null, data: {} });
  if (!stays) {
    draft.record({
      kind: "spawn",
      key: spawn.id,
      when: { version: spawn.version },
      set: { cleanedAt: now },
      add: { version: 1 },
    });
  }
  draft.hint({ about: "session", id: session.id });
  draft.event({ type: "session_changed", at: now, sessionKey: session.sessionKey, agentId: session.agentId });
  return { commit: draft, answer: stays ? { againAt: now + after } : "done" };
}

async function hasPending(engine: Engine, spawn: SpawnRecord): Promise<boolean> {
  if (spawn.held === 1 || (await unsettledChildren(engine, spawn.childRow)).length > 0) return true;
  const [completion, own] = await engine.store.read([
    { get: "delivery", key: spawn.deliveryId ?? "" },
    { find: "delivery", index: "session", equals: [spawn.childRow], descending: true, limit: deliveriesAtMost },
  ]);
  return [...(completion ? [completion] : []), ...own].some(({ state }) => !isTerminal(state));
}
