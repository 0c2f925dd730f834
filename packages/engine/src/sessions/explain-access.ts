import {
  type AccessAction,
  type Caller,
  chatTypeOf,
  type Decision,
  type DecisionStep,
  hasThreadPart,
  parseSessionKey,
  type SessionRecord,
  sendDecision,
  type ToolName,
  toolDecision,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { announceRoute } from "../outbox/session-route.ts";
import { toolCaller } from "../tools/effective-tools.ts";
import { findTarget } from "./find-target.ts";
import { resolveCaller } from "./resolved-caller.ts";

/** The tool that stands for an action. */
const toolOf: { readonly [A in AccessAction]: ToolName } = {
  read: "sessions_history",
  send: "sessions_send",
  change: "session_status",
};

/**
 * Why a caller may or may not read, send to or change a target: the tool policy, the sandbox clamp, the visibility, the
 * lineage, agent-to-agent, and for a send what the target's chat will see. For operators: it tells more than a tool does.
 */
export async function explainAccess(
  engine: Engine,
  caller: Caller,
  action: AccessAction,
  target: string,
): Promise<Decision> {
  const resolved = await resolveCaller(engine, caller);
  const tool = toolDecision(engine.config, toolCaller(engine, resolved), toolOf[action]);
  const found = await findTarget(engine, resolved, target, action);
  const access: Decision =
    "creatable" in found
      ? { allowed: true, reason: "the main session of a configured agent, made by the first message", trail: [] }
      : found.decision;
  const trail = [...tool.trail, ...access.trail];
  if (!tool.allowed) return { ...tool, trail };
  if (!access.allowed || action !== "send" || !("session" in found)) return { ...access, trail };
  return explainSend(engine, access, found.session, trail);
}

function explainSend(
  engine: Engine,
  access: Decision,
  session: SessionRecord,
  trail: readonly DecisionStep[],
): Decision {
  if (hasThreadPart(session.sessionKey)) {
    const reason = "a thread takes no messages from other sessions";
    return {
      allowed: false,
      code: "thread_target",
      reason,
      trail: [...trail, { step: "not a thread", allowed: false }],
    };
  }
  if (session.archived !== 0) {
    const reason = "an archived session takes no messages";
    return { allowed: false, code: "archived", reason, trail: [...trail, { step: "not archived", allowed: false }] };
  }
  return { ...access, trail: [...trail, ...postingSteps(engine, session)] };
}

/** Whether the announce after the exchange could be posted; it never decides about the send itself. */
function postingSteps(engine: Engine, session: SessionRecord): readonly DecisionStep[] {
  const route = announceRoute(session);
  if (!route) return [{ step: "announce: no route, nothing would be posted", allowed: true }];
  return sendDecision(engine.config, {
    ...(session.sendPolicy === null ? {} : { override: session.sendPolicy }),
    channel: route.channel,
    chatType: chatTypeOf(parseSessionKey(session.sessionKey)),
    sessionKey: session.sessionKey,
  }).trail.map((step) => ({ ...step, step: `announce: ${step.step}` }));
}
