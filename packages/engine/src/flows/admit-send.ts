import type { NewMessageRow, NewRun, RefusalResult } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { type IdempotencyScope, rememberKey } from "../runs/idempotency.ts";
import { newRun } from "../runs/new-run.ts";
import { addSession } from "../sessions/ensure-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft } from "../transaction-draft.ts";
import { addWatch } from "../watch/add-watch.ts";
import { placeNotices } from "../watch/open-notices.ts";
import { newFlow } from "./new-flow.ts";
import { repeatedSend } from "./repeated-send.ts";
import { type ChainDecision, chainFor } from "./send-chain.ts";
import { readTarget, type SendTarget } from "./send-target.ts";

export interface SendRequest {
  readonly caller: ResolvedCaller;
  readonly target: SendTarget;
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
  /** An announce step may follow the answer. */
  readonly announces: boolean;
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
  const found = await readTarget(engine, caller, request.target);
  if ("refusal" in found) return { answer: found.refusal };
  const { session, relation, openWatches } = found;
  const { sessionKey, agentId } = session ?? request.target;
  const now = engine.clock.now();
  const runId = newId();
  const flowId = newId();
  const targetRow = session?.id ?? newId();
  const chain = await chainFor(engine, caller, targetRow, runId);
  if ("refusal" in chain) return { answer: chain.refusal };
  const draft = createDraft();
  const message = messageRow(request, runId, chain);
  const write = draft.session(targetRow);
  if (session) {
    write.when({ sessionId: session.sessionId, archived: false, deleted: false });
    await placeNotices(engine, draft, session, openWatches, "outside");
  } else {
    addSession(engine, draft, targetRow, { sessionKey, agentId });
  }
  write
    .set({ updatedAt: now })
    .append({ from: "outside", messages: [message] })
    .enqueue(primaryRun(request, { runId, flowId, messageId: message.id, chain, now }));
  // What a run sends is its own until the commit: a run that was ended meanwhile sends nothing more.
  if (caller.run) draft.session(caller.session.id).when({ activeRun: { id: caller.run.id, fence: caller.run.fence } });
  const flow = newFlow(engine, request, { flowId, runId, targetRow, relation, chain, now });
  draft.record({ kind: "flow", insert: flow });
  if (chain.draws) {
    const atMost = engine.config.session.agentToAgent.maxHops;
    draft.counter({ scope: `chain:${chain.chainId}`, by: 1, atMost });
  }
  if (request.watch) await addWatch(engine, draft, caller.session, session ?? { id: targetRow, created: true }, true);
  if (idempotency) {
    for (const remembered of rememberKey(idempotency, { runId, result: { flowId, sessionKey } }, now)) {
      draft.record(remembered);
    }
  }
  draft.hint({ about: "run", id: runId });
  draft.hint({ about: "session", id: targetRow });
  draft.event({
    type: "run_queued",
    at: now,
    sessionKey,
    runId,
    agentId,
    kind: "send",
    text: request.message,
    parentSessionKey: caller.sessionKey,
    ...(session?.label ? { label: session.label } : {}),
  });
  return { commit: draft, answer: { runId, flowId, targetRow, sessionKey, announces: flow.silentEnd === 0 } };
}

function messageRow({ caller, message }: SendRequest, runId: string, chain: ChainDecision): NewMessageRow {
  const { channel } = caller.session;
  return {
    id: newId(),
    role: "user",
    class: 0,
    runId,
    body: { content: message },
    provenance: {
      kind: "inter_session",
      sourceSessionKey: caller.sessionKey,
      sourceTool: "sessions_send",
      ...(channel === "unknown" ? {} : { sourceChannel: channel }),
      chainId: chain.chainId,
      hop: chain.hop,
    },
  };
}

interface PrimaryRun {
  readonly runId: string;
  readonly flowId: string;
  readonly messageId: string;
  readonly chain: ChainDecision;
  readonly now: number;
}

function primaryRun({ caller }: SendRequest, { runId, flowId, messageId, chain, now }: PrimaryRun): NewRun {
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
