import { formatSessionKey, parseSessionReference, type SpawnRecord, TrunklineError } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { findByKey } from "../sessions/ensure-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { inCreationOrder, spawnOfChild, unsettledSpawns } from "./read-spawns.ts";

const recentAtMost = 1000;

/** The caller's own descendants, at every depth, that have not settled. */
export async function activeDescendants(engine: Engine, caller: ResolvedCaller): Promise<readonly SpawnRecord[]> {
  return below(engine, caller.session.id, await unsettledSpawns(engine));
}

/** The caller's own descendants that have settled since a time. */
export async function recentDescendants(
  engine: Engine,
  caller: ResolvedCaller,
  since: number,
): Promise<readonly SpawnRecord[]> {
  const [recent] = await engine.store.read([
    { find: "spawn", index: "settled", equals: ["settled"], from: since, descending: true, limit: recentAtMost },
  ]);
  return inCreationOrder(await below(engine, caller.session.id, recent));
}

/** A descendant by the `runId` that its spawn gave, or by that of the run that goes on for it. */
export async function descendantByRun(
  engine: Engine,
  caller: ResolvedCaller,
  runId: string,
): Promise<SpawnRecord | undefined> {
  const [[spawned], run] = await engine.store.read([
    { find: "spawn", index: "runId", equals: [runId], limit: 1 },
    { get: "run", key: runId },
  ]);
  const [later] = await engine.store.read([{ get: "spawn", key: run?.spawnId ?? "" }]);
  const [found] = await below(
    engine,
    caller.session.id,
    [spawned ?? later].filter((spawn) => spawn !== undefined),
  );
  return found;
}

/** A descendant by its session's key or `sessionId`. */
export async function descendantBySession(
  engine: Engine,
  caller: ResolvedCaller,
  typed: string,
): Promise<SpawnRecord | undefined> {
  const session = await sessionNamed(engine, typed);
  const spawn = session && (await spawnOfChild(engine, session.id));
  const [found] = await below(engine, caller.session.id, spawn ? [spawn] : []);
  return found;
}

/** Those of some spawns whose child descends from a session; a deleted child still does. */
export async function below(
  engine: Engine,
  ancestorRow: string,
  spawns: readonly SpawnRecord[],
): Promise<readonly SpawnRecord[]> {
  const links = await engine.store.read(
    spawns.map(({ requesterRow }) => ({ get: "lineage", key: `${ancestorRow}\n${requesterRow}` }) as const),
  );
  return spawns.filter(({ requesterRow }, index) => requesterRow === ancestorRow || links[index] !== undefined);
}

async function sessionNamed(engine: Engine, typed: string) {
  try {
    const reference = parseSessionReference(typed, { mainKey: engine.config.session.mainKey });
    if (reference.type === "key") return await findByKey(engine, formatSessionKey(reference.parsed));
    if (reference.type !== "sessionId") return undefined;
    const [[found]] = await engine.store.read([
      { find: "session", index: "sessionId", equals: [reference.sessionId], limit: 1 },
    ]);
    return found;
  } catch (error) {
    if (TrunklineError.isInstance(error) && error.code === "invalid_key") return undefined;
    throw error;
  }
}
