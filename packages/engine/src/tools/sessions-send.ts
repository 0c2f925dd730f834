import {
  hasThreadPart,
  notFoundResult,
  parentKey,
  type SessionRecord,
  type ToolInput,
  type ToolResult,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { type AdmittedSend, admitSend, sendIdempotency } from "../flows/admit-send.ts";
import { awaitReply, deliveryOf } from "../flows/await-reply.ts";
import { isOtherSide } from "../flows/other-side.ts";
import { accessTo, decideAccess, findKey, findTarget, mainKeyOf, type Target } from "../sessions/find-target.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";

type Input = ToolInput<"sessions_send">;
type Result = ToolResult<"sessions_send">;

/** `sessions_send`: a message into another session, and the reply of its run within the wait. */
export async function sessionsSend(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const result = await send(engine, caller, input);
  if (input.watch === undefined) return result;
  const sent = "runId" in result && result.runId !== undefined;
  return { ...result, watched: input.watch && sent };
}

async function send(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const target = await resolveTarget(engine, caller, input);
  if ("refusal" in target) return target.refusal;
  const session = "session" in target ? target.session : undefined;
  const waits = input.timeoutSeconds > 0;
  const refused = session ? await refuse(engine, caller, session, waits) : undefined;
  if (refused) return refused;
  const { timeoutSeconds: _timeout, watch: _watch, idempotencyKey, ...payload } = input;
  const admitted = await admitSend(engine, {
    caller,
    target: "session" in target ? target.session : target.creatable,
    message: input.message,
    waits,
    watch: input.watch ?? false,
    idempotency: sendIdempotency(caller, "sessions_send", idempotencyKey, payload),
  });
  if ("code" in admitted) return admitted;
  return waits ? awaitReply(engine, caller, admitted, input.timeoutSeconds * 1000) : accepted(engine, admitted);
}

async function accepted(engine: Engine, { runId, sessionKey, flowId }: AdmittedSend): Promise<Result> {
  return { status: "accepted", runId, sessionKey, delivery: await deliveryOf(engine, flowId, false) };
}

/** An explicit key wins over a label, a label over an agent's main session. */
async function resolveTarget(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Target> {
  const { sessionKey, label, agentId } = input;
  if (sessionKey !== undefined) {
    const back = await isOtherSide(engine, caller, sessionKey);
    return back ?? findTarget(engine, caller, sessionKey, "send");
  }
  if (label !== undefined) return findLabel(engine, caller, label, agentId);
  const key = mainKeyOf(engine, agentId ?? caller.agentId);
  return (await isOtherSide(engine, caller, key)) ?? findKey(engine, caller, key, agentId ?? "", "send");
}

async function findLabel(
  engine: Engine,
  caller: ResolvedCaller,
  label: string,
  agentId: string | undefined,
): Promise<Target> {
  const [found] = await engine.store.read([
    { find: "session", index: "label", equals: agentId === undefined ? [label] : [label, agentId], limit: 200 },
  ]);
  const reachable: SessionRecord[] = [];
  for (const session of found) {
    if (session.archived !== 0) continue;
    if ((await decideAccess(engine, caller, session, "send", false)).allowed) reachable.push(session);
  }
  const [only] = reachable;
  if (only && reachable.length === 1) {
    const back = await isOtherSide(engine, caller, only.sessionKey);
    return back ?? accessTo(engine, caller, only, label, "send", false);
  }
  if (!only) return { refusal: notFoundResult(label), decision: noSuchLabel };
  const keys = reachable.map((session) => session.sessionKey).sort();
  return {
    refusal: {
      status: "error",
      code: "ambiguous",
      error: `${reachable.length} sessions have this label; use one of their keys: ${keys.join(", ")}`,
    },
    decision: noSuchLabel,
  };
}

async function refuse(
  engine: Engine,
  caller: ResolvedCaller,
  session: SessionRecord,
  waits: boolean,
): Promise<Result | undefined> {
  const [bindings] = await engine.store.read([{ find: "spawn", index: "child", equals: [session.id], limit: 1 }]);
  if (bindings.length === 0 && hasThreadPart(session.sessionKey)) {
    return {
      status: "error",
      code: "thread_target",
      error: `threads take no messages from other sessions; send to the chat itself: ${parentKey(session.sessionKey)}`,
    };
  }
  if (session.id === caller.session.id && waits) {
    return {
      status: "error",
      code: "self_send",
      error: "a session cannot wait for itself; use timeoutSeconds 0, and the message is your next turn",
    };
  }
  return undefined;
}

const noSuchLabel = { allowed: false, code: "not_found", reason: "no such label", trail: [] } as const;
