import type { FlowRecord, RunRecord, SessionRecord, SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { childrenOfRunRead, inCreationOrder, spawnOfChildRead } from "../spawns/read-spawns.ts";

/** A run, by what stays the same in its life but for the fence of whoever names it. */
export type RunName = Pick<RunRecord, "id" | "fence" | "sessionRow" | "flowId" | "spawnId">;

/** What the end of a run depends on, as it was at one moment. */
export interface ClosingRows {
  readonly run: RunRecord;
  readonly session: SessionRecord;
  /** The exchange that the run is a step of. */
  readonly flow: FlowRecord | undefined;
  /** The spawn that the run works for. */
  readonly spawn: SpawnRecord | undefined;
  /** The spawn that made the run's session. */
  readonly sessionSpawn: SpawnRecord | undefined;
  /** Sends of the run. */
  readonly sends: readonly FlowRecord[];
  /** Children that the run has spawned. */
  readonly children: readonly SpawnRecord[];
}

const sendsAtMost = 1000;

/** Reads all of it at once: what is looked up by never changes. `undefined` when the run is gone. */
export async function readClosing(engine: Engine, name: RunName): Promise<ClosingRows | undefined> {
  const [run, session, flow, spawn, [sessionSpawn], sends, children] = await engine.store.read([
    { get: "run", key: name.id },
    { get: "session", key: name.sessionRow },
    { get: "flow", key: name.flowId ?? "" },
    { get: "spawn", key: name.spawnId ?? "" },
    spawnOfChildRead(name.sessionRow),
    { find: "flow", index: "requesterRun", equals: [name.id], limit: sendsAtMost },
    childrenOfRunRead(name.id),
  ]);
  if (!run || !session) return undefined;
  return { run, session, flow, spawn, sessionSpawn, sends, children: inCreationOrder(children) };
}
