import {
  hasThreadPart,
  notFoundResult,
  parentKey,
  type RefusalResult,
  type SessionRecord,
  type ToolInput,
  type ToolResult,
  TrunklineError,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { type AdmittedSend, admitSend } from "../flows/admit-send.ts";
import { awaitReply, deliveryOf } from "../flows/await-reply.ts";
import { isOtherSide } from "../flows/other-side.ts";
import { repeatedSend, sendIdempotency } from "../flows/repeated-send.ts";
import { accessTo, decideAccess, findKey, findTarget, mainKeyOf, type Target } from "../sessions/find-target.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { watchSession } from "../watch/add-watch.ts";

type Input = ToolInput<"sessions_send">;
type Result = ToolResult<"sessions_send">;

/** `sessions_send`: a message into another session, and the reply of its run within the wait. */
export async function sessionsSend(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const admitted = await admit(engine, caller, input);
  const watched = await watchedOf(engine, caller, input, admitted);
  if (!("flowId" in admitted)) return { ...admitted, ...watched };
  const result =
    input.timeoutSeconds > 0
      ? await awaitReply(engine, caller, admitted, input.timeoutSeconds * 1000)
      : await accepted(engine, admitted);
  return { ...result, ...watched };
}

async function admit(engine: Engine, caller: ResolvedCaller, input: Input): Promise<AdmittedSend | RefusalResult> {
  const { timeoutSeconds, watch, idempotencyKey, ...payload } = input;
  const waits = timeoutSeconds > 0;
  const idempotency = sendIdempotency(caller, "sessions_send", idempotencyKey, payload);
  const repeated = idempotency && (await repeatedSend(engine, idempotency));
  if (repeated) return repeated;
  const target = await resolveTarget(engine, caller, input);
  if ("refusal" in target) return target.refusal;
  const refused = "session" in target ? refuse(caller, target.session, waits) : undefined;
  if (refused) return refused;
  try {
    return await admitSend(engine, {
      caller,
      target: "session" in target ? target.session : target.creatable,
      message: input.message,
      waits,
      watch: watch ?? false,
      idempotency,
    });
  } catch (error) {
    if (TrunklineError.isInstance(error) && error.code === "store_too_large") return tooLarge;
    throw error;
  }
}

async function accepted(engine: Engine, admitted: AdmittedSend): Promise<Result> {
  const { runId, sessionKey } = admitted;
  return { status: "accepted", runId, sessionKey, delivery: await deliveryOf(engine, admitted, false) };
}

/** Told only where it was asked for; a repeated send may ask for the watch that the first one did not want. */
async function watchedOf(engine: Engine, caller: ResolvedCaller, input: Input, admitted: AdmittedSend | RefusalResult) {
  if (input.watch === undefined) return {};
  if (!input.watch || !("flowId" in admitted)) return { watched: false };
  return { watched: await watchSession(engine, caller.session, admitted.targetRow) };
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

function refuse(caller: ResolvedCaller, session: SessionRecord, waits: boolean): RefusalResult | undefined {
  // A child that is bound to a thread has a sub-agent's key, and is a fine target.
  if (hasThreadPart(session.sessionKey)) {
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

const tooLarge: RefusalResult = {
  status: "error",
  code: "too_large",
  error: "the message is over 16 MiB; nothing was sent",
};
const noSuchLabel = { allowed: false, code: "not_found", reason: "no such label", trail: [] } as const;
