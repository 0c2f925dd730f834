import { notFoundResult, type SpawnRecord, type ToolInput, type ToolResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { withSlotLent } from "../runs/lend-slot.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { describeChildren } from "../spawns/child-row.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
import {
  activeDescendants,
  below,
  descendantByRun,
  descendantBySession,
  recentDescendants,
} from "../spawns/find-spawns.ts";
import { unsettledSpawns } from "../spawns/read-spawns.ts";
import { waitForSpawns } from "../spawns/wait-for-spawns.ts";

type Input = ToolInput<"subagents">;
type Result = ToolResult<"subagents">;

const recentMs = 30 * 60_000;

/** `subagents`: the caller's own descendants: list them, cancel one, wait for some. */
export async function subagents(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  switch (input.action) {
    case "list":
      return list(engine, caller);
    case "cancel":
      return cancel(engine, caller, input);
    case "wait":
      return wait(engine, caller, input);
  }
}

async function list(engine: Engine, caller: ResolvedCaller): Promise<Result> {
  const active = await activeDescendants(engine, caller);
  const recent = await recentDescendants(engine, caller, engine.clock.now() - recentMs);
  return {
    active: [...(await describeChildren(engine, active))],
    recent: [...(await describeChildren(engine, recent))],
  };
}

/** Cancels a child and all below it; a runId wins over a session key. */
async function cancel(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const { runId, childSessionKey } = input;
  const typed = runId ?? childSessionKey ?? "";
  const spawn =
    runId === undefined
      ? await descendantBySession(engine, caller, typed)
      : await descendantByRun(engine, caller, typed);
  if (!spawn) return notFoundResult(typed);
  const going = [spawn, ...(await below(engine, spawn.childRow, await unsettledSpawns(engine)))];
  for (const one of going) await cancelSpawn(engine, one);
  // One below may have been cancelled by the cascade of the one above it before its turn came here.
  const now = await engine.store.read(going.map(({ id }) => ({ get: "spawn", key: id }) as const));
  const cancelled = going.filter(({ state }, index) => state !== "settled" && now[index]?.outcome === "cancelled");
  return { status: "ok", cancelled: cancelled.map((one) => one.runId) };
}

async function wait(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const named = new Map<string, SpawnRecord>();
  for (const runId of input.runIds ?? []) {
    const spawn = await descendantByRun(engine, caller, runId);
    if (!spawn) return notFoundResult(runId);
    named.set(spawn.id, spawn);
  }
  const chosen = input.runIds ? [...named.values()] : await activeDescendants(engine, caller);
  const signal = caller.run ? engine.live.get(caller.run.id)?.controller.signal : undefined;
  const { done, pending } = await withSlotLent(engine, caller.run, () =>
    waitForSpawns(engine, chosen, input.mode, input.timeoutSeconds * 1000, signal),
  );
  const over = pending.length === 0 || (input.mode === "any" && done.length > 0);
  return {
    status: over ? "ok" : "timeout",
    done: [...(await describeChildren(engine, done))],
    pending: [...(await describeChildren(engine, pending))],
  };
}
