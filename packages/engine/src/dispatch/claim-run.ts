import type { RunRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { isCollecting } from "../inbound/waiting-messages.ts";
import { createDraft } from "../transaction-draft.ts";
import { whileLeased } from "./lease.ts";

/** Takes a queued run for this process if its session's lane, and its global lane, are free; `undefined` if not. */
export async function claimRun(
  engine: Engine,
  queued: Pick<RunRecord, "id" | "sessionRow">,
): Promise<RunRecord | undefined> {
  const claimed = await decide<RunRecord | undefined>(engine, async () => {
    const owner = engine.process.id;
    const [run, session, counter, own] = await engine.store.read([
      { get: "run", key: queued.id },
      { get: "session", key: queued.sessionRow },
      { get: "counter", key: "lane:subagent" },
      { get: "process", key: owner },
    ]);
    if (own?.dead !== 0 || run?.state !== "queued" || run.claimableAt === null) return { answer: undefined };
    const cap = engine.config.agents.defaults.subagents.maxConcurrent;
    if (run.lane === "subagent" && (counter?.used ?? 0) >= cap) return { answer: undefined };
    if (!session || session.activeRunId !== null) return { answer: undefined };
    if (await isCollecting(engine, run)) return { answer: undefined };
    const fence = run.fence + 1;
    const draft = createDraft();
    whileLeased(draft, owner);
    draft.session(run.sessionRow).take({ id: run.id, fence }).add({ queuedRuns: -1 });
    draft.record({
      kind: "run",
      key: run.id,
      when: { state: "queued", fence: run.fence },
      set: { state: "claimed", claimableAt: null, owner, fence },
      add: { attempts: 1 },
    });
    if (run.lane === "subagent") draft.counter({ scope: "lane:subagent", by: 1, atMost: cap });
    return {
      commit: draft,
      answer: { ...run, state: "claimed", claimableAt: null, owner, fence, attempts: run.attempts + 1 },
    };
  });
  if (claimed) engine.faultPoint("claim.after-commit");
  return claimed;
}
