import type { SessionRecord, SpawnRecord } from "@trunkline/core";
import { isEnded } from "../runs/run-states.ts";
import { handOverTo, resumeRun } from "../yields/plan-yield.ts";
import { addCompletionDelivery } from "./completion-delivery.ts";
import type { Settling } from "./completion-entry.ts";
import { continueWaiting } from "./continue-child.ts";
import { childrenOfYield, livesInThread, spawnOfChild, unsettledChildren } from "./read-spawns.ts";

type Disposed = Pick<SpawnRecord, "held" | "deliveryId">;

/**
 * Chooses, once, what follows from a completion: it is handed to the resume of the yield that waits for it, held while the
 * run that spawned the child goes on, or posted. A requester that had ended and only waited for this child goes on.
 */
export async function disposeOfCompletion(
  settling: Settling,
  spawn: SpawnRecord,
  requester: SessionRecord,
): Promise<Disposed> {
  const { engine, draft, now, session: child } = settling;
  if (requester.id !== spawn.requesterRow) {
    return { held: 0, deliveryId: addCompletionDelivery(draft, { spawn, requester, child, now }) };
  }
  const [waiting, spawning] = await engine.store.read([
    { get: "yield", key: spawn.yieldId ?? "" },
    { get: "run", key: spawn.requesterRunId ?? "" },
  ]);
  const awaited = waiting?.state === "waiting";
  if (!awaited && spawning && !isEnded(spawning)) {
    // Held for that run's end, which must not have been committed meanwhile: it has looked for held ones by then.
    draft.session(requester.id).when({ activeRun: { id: spawning.id, fence: spawning.fence } });
    return { held: 1, deliveryId: null };
  }
  if (awaited) await resumeWhenLast(settling, spawn, requester);
  const parent = await spawnOfChild(engine, requester.id);
  if (parent?.state === "waiting_children") await continueRequester(settling, spawn, requester, parent);
  const disposed = { spawn, requester, child, handedOver: awaited, livesInThread: livesInThread(parent), now };
  return { held: 0, deliveryId: addCompletionDelivery(draft, disposed) };
}

async function resumeWhenLast(
  { engine, draft, now }: Settling,
  spawn: SpawnRecord,
  requester: SessionRecord,
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
  const resume = resumeRun(yielded, waiting.id, await childrenOfYield(engine, waiting.id), now);
  draft.session(requester.id).add({ openYields: -1 }).enqueue(resume);
  handOverTo(draft, yielded, resume.id);
}

async function continueRequester(
  settling: Settling,
  spawn: SpawnRecord,
  requester: SessionRecord,
  parent: SpawnRecord,
): Promise<void> {
  const pending = (await unsettledChildren(settling.engine, requester.id)).some(({ id }) => id !== spawn.id);
  if (!pending) await continueWaiting({ ...settling, session: requester }, parent);
}
