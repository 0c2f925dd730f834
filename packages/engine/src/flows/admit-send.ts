import type { NewRun, RefusalResult, SessionRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { hashOf, newId } from "../identifiers.ts";
import { idempotencyLifetimeMs } from "../runs/admit-message.ts";
import { newRun } from "../runs/new-run.ts";
import { addSession } from "../sessions/ensure-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";
import { addWatch } from "../watch/add-watch.ts";
import { relationOf } from "./relation.ts";
import { type ChainDecision, chainFor } from "./send-chain.ts";

export interface SendRequest {
  readonly caller: ResolvedCaller;
  readonly target: SessionRecord | { readonly sessionKey: string; readonly agentId: string };
  readonly message: string;
  readonly waits: boolean;
  readonly watch: boolean;
  readonly idempotency: { readonly scopeHash: string; readonly fingerprint: string } | undefined;
}

export interface AdmittedSend {
  readonly runId: string;
  readonly flowId: string;
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
  const [known] = await engine.store.read([{ get: "idempotency", key: idempotency?.scopeHash ?? "" }]);
  const now = engine.clock.now();
  if (known && idempotency && known.expiresAt > now)
    return { answer: await repeat(engine, known, idempotency.fingerprint) };
  const existing = "id" in request.target ? await reread(engine, request.target) : undefined;
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
  if (existing) write.when({ sessionId: existing.sessionId, archived: false, deleted: false });
  write
    .set({ updatedAt: now })
    .append({ from: "outside", messages: [message] })
    .enqueue(primaryRun(request, runId, flowId, message.id, chain, now));
  await addFlow(engine, draft, request, { flowId, runId, target: existing ?? target, chain, now });
  if (chain.draws)
    draft.counter({ scope: `chain:${chain.chainId}`, by: 1, atMost: engine.config.session.agentToAgent.maxHops });
  if (request.watch && existing) await addWatch(engine, draft, caller.session, existing, true);
  if (idempotency) {
    if (known) draft.record({ kind: "idempotency", key: idempotency.scopeHash, remove: true, optional: true });
    draft.record({
      kind: "idempotency",
      insert: {
        ...idempotency,
        runId,
        result: { flowId, sessionKey: target.sessionKey },
        expiresAt: now + idempotencyLifetimeMs,
      },
    });
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
  return { commit: draft, answer: { runId, flowId, sessionKey: target.sessionKey } };
}

async function reread(engine: Engine, target: SessionRecord): Promise<SessionRecord | "gone"> {
  const [current] = await engine.store.read([{ get: "session", key: target.id }]);
  return current && current.deletedAt === null && current.sessionId === target.sessionId ? current : "gone";
}

async function repeat(
  engine: Engine,
  known: { readonly fingerprint: string; readonly runId: string | null },
  fingerprint: string,
): Promise<AdmittedSend | RefusalResult> {
  const [flows] = await engine.store.read([{ find: "flow", index: "primaryRun", equals: [known.runId], limit: 1 }]);
  const flow = flows[0];
  if (known.fingerprint !== fingerprint || !flow) return conflict;
  const [target] = await engine.store.read([{ get: "session", key: flow.targetRow }]);
  return target ? { runId: flow.primaryRunId, flowId: flow.id, sessionKey: target.sessionKey } : gone;
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

/** The scope and the payload of an idempotency key: all arguments but `timeoutSeconds` and `watch`. */
export function sendIdempotency(caller: ResolvedCaller, tool: string, key: string | undefined, payload: unknown) {
  if (key === undefined) return undefined;
  return { scopeHash: hashOf(tool, caller.session.id, key), fingerprint: hashOf(payload) };
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
const conflict: RefusalResult = {
  status: "error",
  code: "conflict",
  error: "this idempotencyKey was used with other arguments; use a new key for a new message",
};
