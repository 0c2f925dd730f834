import { asksForDefault, notFoundResult, refusalResult, type ToolInput, type ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { checkModelName } from "../sessions/check-model.ts";
import { findTarget } from "../sessions/find-target.ts";
import { patchSession } from "../sessions/patch-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { sessionDetails } from "../sessions/session-details.ts";
import { statusCard } from "../sessions/status-card.ts";

type Input = ToolInput<"session_status">;
type Result = ToolResult<"session_status">;

/** `session_status`: a card for reading and the same as data; `model` changes the model first. */
export async function sessionStatus(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const action = input.model === undefined ? "read" : "change";
  const target = await findTarget(engine, caller, input.sessionKey, action);
  if (!("session" in target)) return "refusal" in target ? target.refusal : notFoundResult(input.sessionKey);
  const { session } = target;
  if (input.model !== undefined) {
    const decision = asksForDefault(input.model)
      ? undefined
      : await checkModelName(engine, session.agentId, input.model);
    if (decision && !decision.allowed) return refusalResult(decision, "");
    await patchSession(engine, session, { model: input.model }, { actor: "agent", actorId: caller.agentId });
  }
  const [current] = await engine.store.read([{ get: "session", key: session.id }]);
  const details = await sessionDetails(engine, current ?? session, {
    changesSince: input.changesSince,
    caller,
  });
  return { text: statusCard(details), details };
}
