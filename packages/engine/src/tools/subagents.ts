import {
  canonicalSessionKey,
  notFoundResult,
  type SpawnRecord,
  type ToolInput,
  type ToolResult,
  TrunklineError,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { withSlotLent } from "../runs/lend-slot.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { describeChild } from "../spawns/child-row.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
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
  const since = engine.clock.now() - recentMs;
  const spawns = await descendants(engine, caller);
  const active = spawns.filter(({ state }) => state !== "settled");
  const recent = spawns.filter(({ settledAt }) => settledAt !== null && settledAt >= since);
  return {
    active: await Promise.all(active.map((spawn) => describeChild(engine, spawn))),
    recent: await Promise.all(recent.map((spawn) => describeChild(engine, spawn))),
  };
}

async function cancel(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const typed = input.runId ?? input.childSessionKey ?? "";
  const spawns = await descendants(engine, caller);
  const spawn = await pick(engine, spawns, input);
  if (!spawn) return notFoundResult(typed);
  const before = new Set(spawns.filter(({ state }) => state !== "settled").map(({ id }) => id));
  const below = await underneath(engine, spawn, spawns);
  const done = await cancelSpawn(engine, spawn);
  for (const child of below) await cancelSpawn(engine, child);
  const cancelled = [spawn, ...below].filter(({ id }) => before.has(id)).map(({ runId }) => runId);
  return { status: "ok", cancelled: done ? cancelled : [] };
}

async function wait(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const spawns = await descendants(engine, caller);
  const wanted = input.runIds;
  const chosen = wanted
    ? spawns.filter(({ runId }) => wanted.includes(runId))
    : spawns.filter(({ state }) => state !== "settled");
  const unknown = wanted?.find((runId) => !chosen.some((spawn) => spawn.runId === runId));
  if (unknown !== undefined) return notFoundResult(unknown);
  const signal = caller.run ? engine.live.get(caller.run.id)?.controller.signal : undefined;
  const { done, pending } = await withSlotLent(engine, caller.run, () =>
    waitForSpawns(engine, chosen, input.mode, input.timeoutSeconds * 1000, signal),
  );
  const over = pending.length === 0 || (input.mode === "any" && done.length > 0);
  return {
    status: over ? "ok" : "timeout",
    done: await Promise.all(done.map((spawn) => describeChild(engine, spawn))),
    pending: await Promise.all(pending.map((spawn) => describeChild(engine, spawn))),
  };
}

/** Every spawn below the caller's session, nearest first, in creation order. */
async function descendants(engine: Engine, caller: ResolvedCaller): Promise<readonly SpawnRecord[]> {
  const [links] = await engine.store.read([
    { find: "lineage", index: "ancestor", equals: [caller.session.id], limit: 5000 },
  ]);
  const found = await engine.store.read(
    links.map(({ descendantId }) => ({ find: "spawn", index: "child", equals: [descendantId], limit: 1 }) as const),
  );
  return found.flat().sort((a, b) => a.createdAt - b.createdAt);
}

async function pick(engine: Engine, spawns: readonly SpawnRecord[], input: Input): Promise<SpawnRecord | undefined> {
  if (input.runId !== undefined) return spawns.find(({ runId }) => runId === input.runId);
  const key = canonical(input.childSessionKey ?? "");
  const [sessions] = await engine.store.read([{ find: "session", index: "sessionKey", equals: [key], limit: 1 }]);
  return spawns.find(({ childRow }) => childRow === sessions[0]?.id);
}

function canonical(typed: string): string {
  try {
    return canonicalSessionKey(typed);
  } catch (error) {
    if (TrunklineError.isInstance(error)) return typed;
    throw error;
  }
}

async function underneath(
  engine: Engine,
  spawn: SpawnRecord,
  spawns: readonly SpawnRecord[],
): Promise<readonly SpawnRecord[]> {
  const [links] = await engine.store.read([
    { find: "lineage", index: "ancestor", equals: [spawn.childRow], limit: 5000 },
  ]);
  const rows = new Set(links.map(({ descendantId }) => descendantId));
  return spawns.filter(({ childRow, state }) => rows.has(childRow) && state !== "settled");
}
