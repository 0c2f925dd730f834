import {
  asksForDefault,
  childModel,
  childThinking,
  type Decision,
  notFoundResult,
  refusalResult,
  resolveAgent,
  spawnDecision,
  spawnMode,
  type ToolInput,
  type ToolResult,
  TrunklineError,
  thinkingDecision,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { sendIdempotency } from "../flows/repeated-send.ts";
import { checkModelName } from "../sessions/check-model.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { admitSpawn, refuseSpawner } from "../spawns/admit-spawn.ts";
import { bindThread, unbindThread } from "../spawns/bind-thread.ts";
import { forkSize } from "../spawns/fork-size.ts";
import { repeatedSpawn } from "../spawns/repeated-spawn.ts";
import type { SpawnOrder } from "../spawns/spawn-order.ts";

type Input = ToolInput<"sessions_spawn">;
type Result = ToolResult<"sessions_spawn">;

/** `sessions_spawn`: checks everything, then commits child and run at once; a refusal leaves nothing behind. */
export async function sessionsSpawn(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const { idempotencyKey, ...payload } = input;
  const idempotency = sendIdempotency(caller, "sessions_spawn", idempotencyKey, payload);
  const known = await repeatedSpawn(engine, idempotency);
  if (known && "status" in known) return known;
  if (caller.run?.kind === "child_announce") return announcing;
  const context = input.context ?? (input.thread ? engine.config.threadBindings.defaultSpawnContext : "isolated");
  const decision = spawnDecision({
    config: engine.config,
    caller,
    request: { agentId: input.agentId, runtime: input.runtime, sandbox: input.sandbox, context },
  });
  if (!decision.allowed) return refusalResult(decision, input.agentId ?? "");
  if (input.runtime === "acp") return refuseAcp(engine, caller, input);
  const { agentId, sandboxed } = decision;
  const checked = await checkModel(engine, agentId, input);
  if (!checked.allowed) return refusalResult(checked, "");
  const refused = await refuseSpawner(engine, caller);
  if (refused) return refused;
  const fork = context === "fork" ? await forkSize(engine, caller) : undefined;
  const bound = input.thread ? await bindThread(engine, caller, input.label ?? input.task) : undefined;
  if (bound && "error" in bound) return { status: "error", code: "thread_unsupported", error: bound.error };
  const admitted = await admit(engine, {
    caller,
    input,
    agentId,
    sandboxed,
    model: childModel(engine.config, agentId, input.model),
    thinking: childThinking(engine.config, agentId, input.thinking),
    context: fork?.tooLarge ? "isolated" : context,
    note: fork?.tooLarge ? fork.note : undefined,
    mode: spawnMode(input),
    runTimeoutSeconds: input.runTimeoutSeconds ?? resolveAgent(engine.config, agentId).subagents.runTimeoutSeconds,
    boundRoute: bound?.route,
    idempotency,
  });
  if (bound) await unbindThread(engine, bound.route);
  return admitted;
}

async function admit(engine: Engine, order: SpawnOrder): Promise<Result> {
  try {
    return await admitSpawn(engine, order);
  } catch (error) {
    if (TrunklineError.isInstance(error) && error.code === "store_too_large") return tooLarge;
    throw error;
  }
}

// No runner of this package speaks to external agents, so there is nothing to resume either.
async function refuseAcp(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const resumed = input.resumeSessionId;
  if (resumed !== undefined && !(await ownAcpChild(engine, caller, resumed))) return notFoundResult(resumed);
  return { status: "error", code: "acp_unavailable", error: 'no runner for runtime "acp" is set up here' };
}

async function ownAcpChild(engine: Engine, caller: ResolvedCaller, sessionId: string): Promise<boolean> {
  const [[session]] = await engine.store.read([
    { find: "session", index: "sessionId", equals: [sessionId.toLowerCase()], limit: 1 },
  ]);
  if (!session || session.deletedAt !== null || !session.sessionKey.includes(":acp:")) return false;
  const [link] = await engine.store.read([{ get: "lineage", key: `${caller.session.id}\n${session.id}` }]);
  return link !== undefined;
}

async function checkModel(engine: Engine, agentId: string, input: Input): Promise<Decision> {
  const thinking = asksForDefault(input.thinking) ? undefined : thinkingDecision(input.thinking ?? "");
  if (thinking && !thinking.allowed) return thinking;
  if (asksForDefault(input.model)) return { allowed: true, reason: "the agent's own model", trail: [] };
  return checkModelName(engine, agentId, input.model ?? "");
}

const tooLarge: Result = {
  status: "error",
  code: "too_large",
  error: "the task is over 16 MiB; nothing was spawned",
};
const announcing: Result = {
  status: "forbidden",
  code: "tool_not_allowed",
  error: "the task is done: this step only says what its result is, and starts no sub-agents",
};
