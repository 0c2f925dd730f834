import type { ToolResult } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { abortLiveRun } from "../runs/live-run.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { describePending } from "../spawns/child-row.ts";
import { childrenOfRun, unsettledChildren } from "../spawns/read-spawns.ts";
import { createDraft } from "../transaction-draft.ts";

type YieldResult = ToolResult<"sessions_yield">;

/** Marks the calling run as yielding when it has spawned something that is pending; its signal is then aborted at once. */
export async function markYield(
  engine: Engine,
  caller: ResolvedCaller,
  note: string | undefined,
): Promise<YieldResult> {
  const { run, session } = caller;
  if (!run) return nothingPending;
  const marked = await decide<YieldResult>(engine, async () => {
    const [current] = await engine.store.read([{ get: "run", key: run.id }]);
    if (current?.state !== "running" || current.fence !== run.fence) return { answer: nothingPending };
    const own = await childrenOfRun(engine, run.id);
    const awaited = own.filter(({ state, held }) => state !== "settled" || held === 1);
    if (awaited.length === 0) {
      const earlier = await unsettledChildren(engine, session.id);
      if (earlier.length === 0) return { answer: nothingPending };
      return { answer: { status: "already_pending", pending: [...(await describePending(engine, earlier))] } };
    }
    const draft = createDraft();
    draft.session(session.id).when({ activeRun: { id: run.id, fence: run.fence } });
    draft.record({
      kind: "run",
      key: run.id,
      when: { state: "running", fence: run.fence },
      set: { yieldMarked: 1, yieldNote: note ?? null },
    });
    draft.hint({ about: "run", id: run.id });
    return { commit: draft, answer: { status: "yielded", pending: [...(await describePending(engine, awaited))] } };
  });
  if (marked.status !== "yielded") return marked;
  engine.faultPoint("yield.after-mark");
  const live = engine.live.get(run.id);
  if (live) abortLiveRun(live, "yielded");
  return marked;
}

const nothingPending: YieldResult = {
  status: "error",
  code: "nothing_pending",
  error: "this turn has spawned nothing that is pending; go on with the turn",
};
