import type { ProcessRecord, RunRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { settleLostAttempt } from "../outbox/settle-failure.ts";
import { completeRun } from "../runs/complete-run.ts";
import { createDraft } from "../transaction-draft.ts";

/** A run whose owner died this often before its runner was called is given up. */
export const triesAtMost = 3;

const pageSize = 1000;
const passesAtMost = 100;

/**
 * Takes over everything that a dead process left: not started → queued again; started → settled as interrupted. It looks
 * until nothing is left, since a process that does not know yet that it is dead may go on with what it has claimed; only
 * then is the process forgotten.
 */
export async function takeOver(engine: Engine, dead: ProcessRecord): Promise<void> {
  for (let pass = 0; pass < passesAtMost; pass++) {
    if (await settleSome(engine, dead)) continue;
    await forget(engine, dead);
    return;
  }
}

/** Whether there was anything to settle. */
async function settleSome(engine: Engine, dead: ProcessRecord): Promise<boolean> {
  const [claimed, running, sending, waitedFor] = await engine.store.read([
    { find: "run", index: "owner", equals: [dead.id, "claimed"], limit: pageSize },
    { find: "run", index: "owner", equals: [dead.id, "running"], limit: pageSize },
    { find: "delivery", index: "owner", equals: [dead.id, "sending"], limit: pageSize },
    { find: "flow", index: "waiter", equals: [dead.id, "primary"], limit: pageSize },
  ]);
  for (const run of running) {
    await completeRun(engine, run, {
      state: "interrupted",
      text: null,
      rows: [],
      code: "run_interrupted",
      error: "The process died while the run was going",
    });
  }
  for (const run of claimed) await retryClaimed(engine, run);
  for (const delivery of sending) await settleLostAttempt(engine, delivery, "the process died while sending");
  for (const flow of waitedFor) {
    await decide<void>(engine, async () => {
      const [current] = await engine.store.read([{ get: "flow", key: flow.id }]);
      if (current?.phase !== "primary" || current.answerTo !== "inline") return { answer: undefined };
      const draft = createDraft();
      draft.record({
        kind: "flow",
        key: flow.id,
        when: { version: current.version },
        set: { answerTo: "entry", waiterOwner: null },
        add: { version: 1 },
      });
      return { commit: draft, answer: undefined };
    });
  }
  return claimed.length + running.length + sending.length + waitedFor.length > 0;
}

async function retryClaimed(engine: Engine, run: RunRecord): Promise<void> {
  if (run.attempts >= triesAtMost) {
    await completeRun(engine, run, {
      state: "interrupted",
      text: null,
      rows: [],
      code: "recovery_exhausted",
      error: `Given up after ${triesAtMost} processes died before the run could start`,
    });
    return;
  }
  await decide<void>(engine, async () => {
    const [current] = await engine.store.read([{ get: "run", key: run.id }]);
    if (current?.state !== "claimed" || current.fence !== run.fence) return { answer: undefined };
    const draft = createDraft();
    draft.session(run.sessionRow).free({ id: run.id, fence: run.fence }).add({ queuedRuns: 1 });
    draft.record({
      kind: "run",
      key: run.id,
      when: { state: "claimed", fence: run.fence },
      set: { state: "queued", owner: null },
    });
    if (run.lane === "subagent") draft.counter({ scope: "lane:subagent", by: -1 });
    draft.hint({ about: "run", id: run.id });
    return { commit: draft, answer: undefined };
  });
}

async function forget(engine: Engine, dead: ProcessRecord): Promise<void> {
  await decide<void>(engine, async () => {
    const [process] = await engine.store.read([{ get: "process", key: dead.id }]);
    if (!process) return { answer: undefined };
    const draft = createDraft();
    draft.record({ kind: "process", key: dead.id, remove: true, optional: true });
    return { commit: draft, answer: undefined };
  });
}
