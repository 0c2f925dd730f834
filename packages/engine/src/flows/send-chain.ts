import type { RefusalResult, RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { Chain } from "../runs/new-run.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";

/** The chain that a send continues, and whether it draws on the chain's budget. */
export interface ChainDecision extends Chain {
  readonly draws: boolean;
}

/**
 * Bounds what one outside message can set off: a send is one hop further than its run; one that goes
 * back to a session of its chain, or comes from a step of an exchange, draws on a budget of `maxHops` for the chain and
 * starts no loop.
 */
export async function chainFor(
  engine: Engine,
  caller: ResolvedCaller,
  targetRow: string,
  runId: string,
): Promise<ChainDecision | { readonly refusal: RefusalResult }> {
  const { run, session } = caller;
  if (!run) return { chainId: runId, hop: 0, path: [session.id, targetRow], guarded: 0, draws: false };
  const { maxHops } = engine.config.session.agentToAgent;
  const hop = run.hop + 1;
  const guarded = run.path.includes(targetRow) || run.guarded === 1 || (await isStepOfExchange(engine, run));
  if (hop > maxHops) return { refusal: loopDetected };
  if (guarded) {
    const [counter] = await engine.store.read([{ get: "counter", key: `chain:${run.chainId}` }]);
    if ((counter?.used ?? 0) >= maxHops) return { refusal: loopDetected };
  }
  return { chainId: run.chainId, hop, path: [...run.path, targetRow], guarded: guarded ? 1 : 0, draws: guarded };
}

/** A loop turn or an announce step, or the run that resumes one. */
async function isStepOfExchange(engine: Engine, run: RunRecord): Promise<boolean> {
  if (run.kind === "turn" || run.kind === "flow_announce") return true;
  if (run.kind !== "resume" || run.flowId === null) return false;
  const [flow] = await engine.store.read([{ get: "flow", key: run.flowId }]);
  return flow !== undefined && flow.phase !== "primary";
}

const loopDetected: RefusalResult = {
  status: "forbidden",
  code: "loop_detected",
  error: "loop: this chain of messages has been passed on too often; answer in this turn instead of sending again",
};
