import type { SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";

const rowsAtMost = 10_000;

/** The children of a session that have not settled, in creation order, however many have settled before. */
export async function unsettledChildren(engine: Engine, sessionRow: string): Promise<readonly SpawnRecord[]> {
  return readUnsettled(engine, "requester", [sessionRow]);
}

/** Every spawn of the installation that has not settled, in creation order. */
export async function unsettledSpawns(engine: Engine): Promise<readonly SpawnRecord[]> {
  return readUnsettled(engine, "settled", []);
}

/*
 * By index order the states read `announcing`, `running`, `settled`, `waiting_children`. Where the reads are no single
 * snapshot, a child that changes from one state to another between them must still be found: hence waiting twice.
 */
async function readUnsettled(
  engine: Engine,
  index: "requester" | "settled",
  equals: readonly string[],
): Promise<readonly SpawnRecord[]> {
  const waiting = { find: "spawn", index, equals: [...equals, "waiting_children"], limit: rowsAtMost } as const;
  const active = { find: "spawn", index, equals, from: "announcing", below: "settled", limit: rowsAtMost } as const;
  const found = await engine.store.read([waiting, active, waiting]);
  return inCreationOrder([...new Map(found.flat().map((spawn) => [spawn.id, spawn])).values()]);
}

/** The newest children of a session, the newest first. */
export async function newestChildren(
  engine: Engine,
  sessionRow: string,
  limit: number,
): Promise<readonly SpawnRecord[]> {
  const [settled] = await engine.store.read([
    { find: "spawn", index: "requester", equals: [sessionRow, "settled"], descending: true, limit },
  ]);
  const going = await unsettledChildren(engine, sessionRow);
  const fresh = settled.filter(({ id }) => !going.some((child) => child.id === id));
  return inCreationOrder([...going, ...fresh])
    .toReversed()
    .slice(0, limit);
}

/** Every child that a session has spawned, in creation order. */
export async function childrenOf(engine: Engine, sessionRow: string): Promise<readonly SpawnRecord[]> {
  const [found] = await engine.store.read([
    { find: "spawn", index: "requester", equals: [sessionRow], limit: rowsAtMost },
  ]);
  return inCreationOrder(found);
}

/** The children that one run has spawned, in creation order. */
export async function childrenOfRun(engine: Engine, runId: string): Promise<readonly SpawnRecord[]> {
  const [found] = await engine.store.read([childrenOfRunRead(runId)]);
  return inCreationOrder(found);
}

/** Reads the children that one run has spawned; goes with other reads. */
export function childrenOfRunRead(runId: string) {
  return { find: "spawn", index: "requesterRun", equals: [runId], limit: rowsAtMost } as const;
}

/** The children that one yield waits for or has waited for, in creation order. */
export async function childrenOfYield(engine: Engine, yieldId: string): Promise<readonly SpawnRecord[]> {
  const [found] = await engine.store.read([{ find: "spawn", index: "yield", equals: [yieldId], limit: rowsAtMost }]);
  return inCreationOrder(found);
}

/** Reads the spawn that a session is the child of; goes with other reads. */
export function spawnOfChildRead(childRow: string) {
  return { find: "spawn", index: "child", equals: [childRow], limit: 1 } as const;
}

/** The spawn that a session is the child of. */
export async function spawnOfChild(engine: Engine, childRow: string): Promise<SpawnRecord | undefined> {
  const [found] = await engine.store.read([spawnOfChildRead(childRow)]);
  return found[0];
}

/** Whether a child has reported its task and lives on in a thread of its own. */
export function livesInThread(spawn: SpawnRecord | undefined): boolean {
  return spawn?.state === "settled" && spawn.mode === "session";
}

/** Children in the order in which they were spawned. */
export function inCreationOrder(spawns: readonly SpawnRecord[]): readonly SpawnRecord[] {
  return [...spawns].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
