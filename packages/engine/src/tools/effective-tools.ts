import {
  type EffectiveTools,
  effectiveModel,
  effectiveTools,
  type SessionRecord,
  type ToolPolicyCaller,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";

/** What the tool policy looks at for a caller: its agent, sandbox, depth, and the model that its session uses. */
export function toolCaller(engine: Engine, caller: Pick<ResolvedCaller, "session" | "sandboxed">): ToolPolicyCaller {
  const { session, sandboxed } = caller;
  const model = effectiveModel(engine.config, session.agentId, session.model ?? undefined);
  return {
    sessionKey: session.sessionKey,
    agentId: session.agentId,
    sandboxed,
    spawnDepth: session.spawnDepth,
    ...(model === undefined ? {} : { model }),
  };
}

/** The effective tools of a session, and what removed the others. */
export function sessionTools(engine: Engine, session: SessionRecord): EffectiveTools {
  return effectiveTools(engine.config, toolCaller(engine, { session, sandboxed: session.sandboxed === 1 }));
}

/** The effective tools as an owner reads them in a chat. */
export function describeTools(engine: Engine, session: SessionRecord): string {
  const { tools, removed } = sessionTools(engine, session);
  return [
    `Tools of ${session.sessionKey}: ${tools.length === 0 ? "none" : tools.join(", ")}`,
    ...removed.map(({ name, layer, setting }) => `- ${name}: removed by ${layer} (${setting})`),
  ].join("\n");
}
