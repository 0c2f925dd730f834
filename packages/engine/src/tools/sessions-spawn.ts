import {
  asksForDefault,
  childModel,
  childThinking,
  type Decision,
  refusalResult,
  resolveAgent,
  spawnDecision,
  spawnMode,
  type ToolInput,
  type ToolResult,
  thinkingDecision,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { sendIdempotency } from "../flows/repeated-send.ts";
import { checkModelName } from "../sessions/check-model.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { admitSpawn } from "../spawns/admit-spawn.ts";
import { bindThread, unbindThread } from "../spawns/bind-thread.ts";
import { forkSize } from "../spawns/fork-size.ts";

type Input = ToolInput<"sessions_spawn">;
type Result = ToolResult<"sessions_spawn">;

/** `sessions_spawn`: checks everything, then commits child and run at once. */
export async function sessionsSpawn(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const { idempotencyKey, ...payload } = input;
  const idempotency = sendIdempotency(caller, "sessions_spawn", idempotencyKey, payload);
  if (idempotency) {
    const known = await repeat(engine, idempotency);
    if (known) return known;
  }
  const context = input.context ?? (input.thread ? engine.config.threadBindings.defaultSpawnContext : "isolated");
  const decision = spawnDecision({
    config: engine.config,
    caller,
    request: { agentId: input.agentId, runtime: input.runtime, sandbox: input.sandbox, context },
  });
  if (!decision.allowed) return refusalResult(decision, input.agentId ?? "");
  if (input.runtime === "acp")
    return { status: "error", code: "acp_unavailable", error: 'no runner for runtime "acp" is set up here' };
  const { agentId, sandboxed } = decision;
  const checked = await checkModel(engine, agentId, input);
  if (!checked.allowed) return refusalResult(checked, "");
  const fork = context === "fork" ? await forkSize(engine, caller) : undefined;
  const bound = input.thread ? await bindThread(engine, caller, input.label ?? input.task) : undefined;
  if (bound && "error" in bound) return { status: "error", code: "thread_unsupported", error: bound.error };
  const order = {
    caller,
    input,
    agentId,
    sandboxed,
    model: childModel(engine.config, agentId, input.model),
    thinking: childThinking(engine.config, agentId, input.thinking),
    context: fork?.tooLarge ? ("isolated" as const) : context,
    note: fork?.tooLarge ? fork.note : undefined,
    mode: spawnMode(input),
    runTimeoutSeconds: input.runTimeoutSeconds ?? resolveAgent(engine.config, agentId).subagents.runTimeoutSeconds,
    boundRoute: bound?.route,
    idempotency,
  };
  const admitted = await admitSpawn(engine, order);
  if ("code" in admitted) {
    if (bound) await unbindThread(engine, bound.route);
    return admitted;
  }
  return {
    status: "accepted",
    ...admitted,
    context: order.context,
    ...(order.model === undefined ? {} : { model: order.model }),
    ...(order.note === undefined ? {} : { note: order.note }),
  };
}

async function checkModel(engine: Engine, agentId: string, input: Input): Promise<Decision> {
  const thinking = asksForDefault(input.thinking) ? undefined : thinkingDecision(input.thinking ?? "");
  if (thinking && !thinking.allowed) return thinking;
  if (asksForDefault(input.model)) return { allowed: true, reason: "the agent's own model", trail: [] };
  return checkModelName(engine, agentId, input.model ?? "");
}

async function repeat(
  engine: Engine,
  { scopeHash, fingerprint }: { readonly scopeHash: string; readonly fingerprint: string },
): Promise<Result | undefined> {
  const [known] = await engine.store.read([{ get: "idempotency", key: scopeHash }]);
  if (!known || known.expiresAt <= engine.clock.now()) return undefined;
  const { runId, result } = known;
  if (known.fingerprint !== fingerprint || runId === null || result === null) {
    return { status: "error", code: "conflict", error: "this idempotencyKey was used with other arguments" };
  }
  return {
    status: "accepted",
    runId,
    childSessionKey: String(result["childSessionKey"]),
    context: result["context"] === "fork" ? "fork" : "isolated",
    ...(typeof result["model"] === "string" ? { model: result["model"] } : {}),
  };
}
