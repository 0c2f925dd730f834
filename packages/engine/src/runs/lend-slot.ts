import type { RunRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";

/** Gives a waiting run's lane slot to others for as long as it waits; getting it back never blocks. */
export async function withSlotLent<T>(engine: Engine, run: RunRecord | undefined, wait: () => Promise<T>): Promise<T> {
  const live = run ? engine.live.get(run.id) : undefined;
  if (!run || !live) return wait();
  live.waits++;
  if (live.waits === 1) await lend(engine, run, 1);
  try {
    return await wait();
  } finally {
    live.waits--;
    if (live.waits === 0) await lend(engine, run, 0);
  }
}

async function lend(engine: Engine, run: RunRecord, lent: 0 | 1): Promise<void> {
  if (run.lane !== "subagent") {
    if (lent === 1) engine.lanes.give(run.lane);
    else engine.lanes.take(run.lane);
    engine.wake();
    return;
  }
  await decide<void>(engine, async () => {
    const [current] = await engine.store.read([{ get: "run", key: run.id }]);
    if (current?.state !== "running" || current.fence !== run.fence || current.slotLent === lent)
      return { answer: undefined };
    const draft = createDraft();
    draft.record({
      kind: "run",
      key: run.id,
      when: { state: "running", fence: run.fence, slotLent: 1 - lent },
      set: { slotLent: lent },
    });
    draft.counter({ scope: "lane:subagent", by: lent === 1 ? -1 : 1 });
    return { commit: draft, answer: undefined };
  });
}
