import type { DeliveryState, RunRecord, SpawnRecord, ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";

type PendingChild = Extract<ToolResult<"sessions_yield">, { status: "yielded" }>["pending"][number];
type ChildList = Extract<ToolResult<"subagents">, { active: unknown }>;
type ChildRow = ChildList["active"][number];

const shownTaskLength = 200;

/** A child as a yield names it. */
export async function describePending(engine: Engine, spawn: SpawnRecord): Promise<PendingChild> {
  const [child, run] = await engine.store.read([
    { get: "session", key: spawn.childRow },
    { get: "run", key: spawn.currentRunId },
  ]);
  return {
    runId: spawn.runId,
    childSessionKey: child?.sessionKey ?? "",
    ...(spawn.label === null ? {} : { label: spawn.label }),
    state: stateOf(spawn, run),
  };
}

/** A child as `subagents` shows it; times are milliseconds since the epoch. */
export async function describeChild(engine: Engine, spawn: SpawnRecord): Promise<ChildRow> {
  const [child, run, delivery] = await engine.store.read([
    { get: "session", key: spawn.childRow },
    { get: "run", key: spawn.currentRunId },
    { get: "delivery", key: spawn.deliveryId ?? "" },
  ]);
  const usage = await engine.store.sumUsage({ sessionRow: spawn.childRow });
  const delivered: DeliveryState | undefined = delivery?.state ?? (spawn.held === 1 ? "pending" : undefined);
  return {
    runId: spawn.runId,
    childSessionKey: child?.sessionKey ?? "",
    ...(spawn.label === null ? {} : { label: spawn.label }),
    task: shorten(spawn.task),
    status: stateOf(spawn, run),
    ...(spawn.outcome === null ? {} : { outcome: spawn.outcome }),
    runtime: spawn.runtime,
    ...(spawn.model === null ? {} : { model: spawn.model }),
    ...(spawn.startedAt === null ? {} : { startedAt: spawn.startedAt }),
    ...(spawn.settledAt === null ? {} : { endedAt: spawn.settledAt }),
    tokens: { input: usage.inputTokens, output: usage.outputTokens, total: usage.totalTokens },
    ...(delivered === undefined ? {} : { delivery: delivered }),
  };
}

function stateOf(spawn: SpawnRecord, run: RunRecord | undefined): PendingChild["state"] {
  if (spawn.state === "settled") return "ended";
  if (spawn.state === "waiting_children" || run?.state === "yielded") return "yielded";
  return run?.state === "queued" && run.kind === "child" ? "queued" : "running";
}

function shorten(task: string): string {
  const line = task.trim().replace(/\s+/g, " ");
  return line.length <= shownTaskLength ? line : `${line.slice(0, shownTaskLength - 1).toWellFormed()}…`;
}
