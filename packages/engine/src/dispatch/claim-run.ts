import type { RunRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { isCollecting } from "../inbound/waiting-messages.ts";
import { createDraft } from "../transaction-draft.ts";
import { whileLeased } from "./lease.ts";

/**
 * Takes a queued run for this process if its session's lane, and its global lane, are free; `undefined` if not. It is tried
 * with the run as it was just seen: whatever else has to hold is a guard of the commit.
 */
export async function claimRun(engine: Engine, seen: RunRecord): Promise<RunRecord | undefined> {
  const cap = engine.config.agents.defaults.subagents.maxConcurrent;
  const claimed = await decide<RunRecord | undefined>(engine, async (attempt) => {
    const owner = engine.process.id;
    const run = attempt === 1 ? seen : await readClaimable(engine, seen, cap);
    if (run?.state !== "queued" || run.claimableAt === null) return { answer: undefined };
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

/** The run, while nothing keeps this process from claiming it. */
async function readClaimable(engine: Engine, seen: RunRecord, cap: number): Promise<RunRecord | undefined> {
  const [run, session, counter, own] = await engine.store.read([
    { get: "run", key: seen.id },
    { get: "session", key: seen.sessionRow },
    { get: "counter", key: "lane:subagent" },
    { get: "process", key: engine.process.id },
  ]);
  if (own?.dead !== 0 || !session || session.activeRunId !== null) return undefined;
  return run?.lane === "subagent" && (counter?.used ?? 0) >= cap ? undefined : run;
}
