import type { NewRun, RefusalResult, SessionRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { type IdempotencyScope, rememberKey } from "../runs/idempotency.ts";
import { newRun } from "../runs/new-run.ts";
import { addSession, findByKey } from "../sessions/ensure-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";
import { addWatch } from "../watch/add-watch.ts";
import { placeNotices } from "../watch/open-notices.ts";
import { relationOf } from "./relation.ts";
import { repeatedSend } from "./repeated-send.ts";
import { type ChainDecision, chainFor } from "./send-chain.ts";

export interface SendRequest {
  readonly caller: ResolvedCaller;
  readonly target: SessionRecord | { readonly sessionKey: string; readonly agentId: string };
  readonly message: string;
  readonly waits: boolean;
  readonly watch: boolean;
  readonly idempotency: IdempotencyScope | undefined;
}

export interface AdmittedSend {
  readonly runId: string;
  readonly flowId: string;
  readonly targetRow: string;
  readonly sessionKey: string;
}

/** Commits the message, its run and the flow that follows it, or says why not; a refusal has written nothing. */
export async function admitSend(engine: Engine, request: SendRequest): Promise<AdmittedSend | RefusalResult> {
  engine.faultPoint("admit.before-commit");
  const admitted = await decide(engine, () => plan(engine, request));
  if ("runId" in admitted) engine.faultPoint("admit.after-commit");
  return admitted;
}

async function plan(engine: Engine, request: SendRequest): Promise<Plan<AdmittedSend | RefusalResult>> {
  const { caller, idempotency } = request;
  const repeated = idempotency && (await repeatedSend(engine, idempotency));
  if (repeated) return { answer: repeated };
  const now = engine.clock.now();
  const existing = await reread(engine, request.target);
  if (existing === "gone") return { answer: gone };
  if (existing?.archived === 1) return { answer: archived };
  const draft = createDraft();
  const target = existing ?? { id: newId(), sessionKey: request.target.sessionKey, agentId: request.target.agentId };
  if (!existing) addSession(engine, draft, target.id, { sessionKey: target.sessionKey, agentId: target.agentId });
  const runId = newId();
  const chain = await chainFor(engine, caller, target.id, runId);
  if ("refusal" in chain) return { answer: chain.refusal };
  const flowId = newId();
  const message = {
    id: newId(),
    role: "user" as const,
    class: 0 as const,
    runId,
    body: { content: request.message },
    provenance: {
      kind: "inter_session" as const,
      sourceSessionKey: caller.sessionKey,
      sourceTool: "sessions_send",
      ...(caller.session.channel === "unknown" ? {} : { sourceChannel: caller.session.channel }),
      chainId: chain.chainId,
      hop: chain.hop,
    },
  };
  const write = draft.session(target.id);
  if (existing) {
    write.when({ sessionId: existing.sessionId, archived: false, deleted: false });
    await placeNotices(engine, draft, existing, "outside");
  }
  write
    .set({ updatedAt: now })
    .append({ from: "outside", messages: [message] })
    .enqueue(primaryRun(request, runId, flowId, message.id, chain, now));
  await addFlow(engine, draft, request, { flowId, runId, target: existing ?? target, chain, now });
  if (chain.draws)
    draft.counter({ scope: `chain:${chain.chainId}`, by: 1, atMost: engine.config.session.agentToAgent.maxHops });
  if (request.watch) await addWatch(engine, draft, caller.session, existing ?? { id: target.id, created: true }, true);
  if (idempotency) {
    const result = { flowId, sessionKey: target.sessionKey };
    for (const write of rememberKey(idempotency, { runId, result }, now)) draft.record(write);
  }
  draft.hint({ about: "run", id: runId });
  draft.hint({ about: "session", id: target.id });
  draft.event({
    type: "run_queued",
    at: now,
    sessionKey: target.sessionKey,
    runId,
    agentId: target.agentId,
    kind: "send",
    text: request.message,
    parentSessionKey: caller.sessionKey,
    ...(existing?.label ? { label: existing.label } : {}),
  });
  return { commit: draft, answer: { runId, flowId, targetRow: target.id, sessionKey: target.sessionKey } };
}

/** The target as it is now; a main session to be made may have been made meanwhile. */
async function reread(engine: Engine, target: SendRequest["target"]): Promise<SessionRecord | "gone" | undefined> {
  if (!("id" in target)) return findByKey(engine, target.sessionKey);
  const [current] = await engine.store.read([{ get: "session", key: target.id }]);
  return current && current.deletedAt === null && current.sessionId === target.sessionId ? current : "gone";
}

function primaryRun(
  { caller }: SendRequest,
  runId: string,
  flowId: string,
  messageId: string,
  chain: ChainDecision,
  now: number,
): NewRun {
  const { chainId, hop, path, guarded } = chain;
  return newRun(
    {
      id: runId,
      cause: `send:${runId}`,
      kind: "send",
      lane: "nested",
      chainId,
      hop,
      path,
      guarded,
      flowId,
      inputIds: [messageId],
      parentRunId: caller.run?.id ?? null,
      causeSessionKey: caller.sessionKey,
    },
    now,
  );
}

async function addFlow(
  engine: Engine,
  draft: TransactionDraft,
  request: SendRequest,
  flow: {
    readonly flowId: string;
    readonly runId: string;
    readonly target: { readonly id: string };
    readonly chain: ChainDecision;
    readonly now: number;
  },
): Promise<void> {
  const { caller, message, waits } = request;
  const relation = await relationOf(engine, caller.session, flow.target.id);
  const loops =
    relation === "other" &&
    caller.session.kind !== "cron" &&
    caller.session.kind !== "hook" &&
    flow.chain.guarded === 0;
  draft.record({
    kind: "flow",
    insert: {
      id: flow.flowId,
      primaryRunId: flow.runId,
      requesterRow: caller.session.id,
      requesterRunId: caller.run?.id ?? null,
      targetRow: flow.target.id,
      phase: "primary",
      turn: 0,
      maxTurns: loops ? engine.config.session.agentToAgent.maxPingPongTurns : 0,
      silentEnd: relation === "family" ? 1 : 0,
      currentRunId: flow.runId,
      request: message,
      firstReply: null,
      latestReply: null,
      answerTo: relation === "self" ? "none" : waits ? "inline" : "entry",
      waiterOwner: waits && engine.isStarted() ? engine.process.id : null,
      stoppedBy: null,
      chainId: flow.chain.chainId,
      hop: flow.chain.hop,
      guarded: flow.chain.guarded,
      createdAt: flow.now,
      version: 0,
    },
  });
}

const gone: RefusalResult = {
  status: "error",
  code: "session_changed",
  error: "the target was reset or deleted meanwhile; look it up again with sessions_list",
};
const archived: RefusalResult = {
  status: "error",
  code: "archived",
  error: "the target is archived and takes no messages; it can still be read",
};
