import { formatSessionKey, parseSessionReference, type RefusalResult, TrunklineError } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { findByKey } from "../sessions/ensure-session.ts";
import { mainKeyOf } from "../sessions/find-target.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";

/** In a turn of an exchange the reply goes back by itself: a send to the other side, under any name, is refused. */
export async function isOtherSide(
  engine: Engine,
  caller: ResolvedCaller,
  typed: string,
): Promise<{ readonly refusal: RefusalResult; readonly decision: typeof decision } | undefined> {
  const { run, session } = caller;
  if (!run || run.flowId === null) return undefined;
  const [flow] = await engine.store.read([{ get: "flow", key: run.flowId }]);
  if (!flow || flow.requesterRow === flow.targetRow) return undefined;
  if (flow.phase !== "primary" && flow.phase !== "turn") return undefined;
  const other = flow.targetRow === session.id ? flow.requesterRow : flow.targetRow;
  const target = await lookUp(engine, caller, typed);
  return target !== undefined && target === other ? { refusal, decision } : undefined;
}

async function lookUp(engine: Engine, caller: ResolvedCaller, typed: string): Promise<string | undefined> {
  try {
    const reference = parseSessionReference(typed, { mainKey: engine.config.session.mainKey });
    if (reference.type === "current") return caller.session.id;
    if (reference.type === "sessionId") {
      const [found] = await engine.store.read([
        { find: "session", index: "sessionId", equals: [reference.sessionId], limit: 1 },
      ]);
      return found[0]?.id;
    }
    const key = reference.type === "main" ? mainKeyOf(engine, caller.agentId) : formatSessionKey(reference.parsed);
    return (await findByKey(engine, key))?.id;
  } catch (error) {
    if (TrunklineError.isInstance(error) && error.code === "invalid_key") return undefined;
    throw error;
  }
}

const refusal: RefusalResult = {
  status: "forbidden",
  code: "reply_already_returned",
  error: "your reply goes back to that session by itself; answer in your text instead of sending",
};
const decision = {
  allowed: false,
  code: "reply_already_returned",
  reason: "the reply goes back by itself",
  trail: [],
} as const;
