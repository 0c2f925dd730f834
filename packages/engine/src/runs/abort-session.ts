import type { SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
import { cancelRun } from "./cancel-run.ts";

/** Cancels everything that a session has going: its runs, queued and active, its open yields, its children. Returns the runs. */
export async function abortSession(engine: Engine, session: SessionRecord): Promise<readonly string[]> {
  const [queued, claimed, running, waiting, children] = await engine.store.read([
    { find: "run", index: "sessionState", equals: [session.id, "queued"], limit: 1000 },
    { find: "run", index: "sessionState", equals: [session.id, "claimed"], limit: 10 },
    { find: "run", index: "sessionState", equals: [session.id, "running"], limit: 10 },
    { find: "yield", index: "session", equals: [session.id, "waiting"], limit: 100 },
    { find: "spawn", index: "requester", equals: [session.id], limit: 1000 },
  ]);
  const yielded = await engine.store.read(waiting.map(({ runId }) => ({ get: "run", key: runId }) as const));
  const aborted: string[] = [];
  for (const run of [...running, ...claimed, ...queued, ...yielded]) {
    if (run && (await cancelRun(engine, run))) aborted.push(run.id);
  }
  for (const child of children) {
    if (child.state !== "settled" && (await cancelSpawn(engine, child))) aborted.push(child.runId);
  }
  return aborted;
}
