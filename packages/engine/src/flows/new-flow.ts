import type { FlowRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { SendRequest } from "./admit-send.ts";
import type { ChainDecision } from "./send-chain.ts";

/** How two sessions of an exchange stand to each other: the same, parent and descendant (either way), or neither. */
export type Relation = "self" | "family" | "other";

export interface FlowSeed {
  readonly flowId: string;
  readonly runId: string;
  readonly targetRow: string;
  readonly relation: Relation;
  readonly chain: ChainDecision;
  readonly now: number;
}

/** The exchange that a send begins: how many turns may follow its answer, and where the answer goes. */
export function newFlow(engine: Engine, { caller, message, waits }: SendRequest, seed: FlowSeed): FlowRecord {
  const { relation, chain } = seed;
  const { kind } = caller.session;
  const loops = relation === "other" && kind !== "cron" && kind !== "hook" && chain.guarded === 0;
  return {
    id: seed.flowId,
    primaryRunId: seed.runId,
    requesterRow: caller.session.id,
    requesterRunId: caller.run?.id ?? null,
    targetRow: seed.targetRow,
    phase: "primary",
    turn: 0,
    maxTurns: loops ? engine.config.session.agentToAgent.maxPingPongTurns : 0,
    silentEnd: relation === "family" ? 1 : 0,
    currentRunId: seed.runId,
    request: message,
    firstReply: null,
    latestReply: null,
    answerTo: relation === "self" ? "none" : waits ? "inline" : "entry",
    waiterOwner: waits && engine.isStarted() ? engine.process.id : null,
    stoppedBy: null,
    chainId: chain.chainId,
    hop: chain.hop,
    guarded: chain.guarded,
    createdAt: seed.now,
    version: 0,
  };
}
