import type { RunRecord, SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
import { unsettledChildren } from "../spawns/read-spawns.ts";
import { cancelRun } from "./cancel-run.ts";

const passesAtMost = 20;

/** Cancels everything that a session has going: its runs, queued and active, its open yields, its children. Returns the runs. */
export async function abortSession(engine: Engine, session: SessionRecord): Promise<readonly string[]> {
  const aborted = await abortRuns(engine, session);
  for (const child of await unsettledChildren(engine, session.id)) {
    if (await cancelSpawn(engine, child)) aborted.push(child.runId);
  }
  return aborted;
}

/** What waits goes before what runs; a run that was claimed meanwhile is found by the next look. Later runs stay. */
async function abortRuns(engine: Engine, { id }: SessionRecord): Promise<string[]> {
  const [session] = await engine.store.read([{ get: "session", key: id }]);
  const through = session?.lastRunNo ?? 0;
  const aborted: string[] = [];
  for (let pass = 0; pass < passesAtMost; pass++) {
    const going = (await goingRuns(engine, id)).filter(({ runNo }) => runNo <= through);
    if (going.length === 0) break;
    for (const run of going) if (await cancelRun(engine, run)) aborted.push(run.id);
  }
  return aborted;
}

async function goingRuns(engine: Engine, sessionRow: string): Promise<readonly RunRecord[]> {
  const [queued, claimed, running, waiting] = await engine.store.read([
    { find: "run", index: "sessionState", equals: [sessionRow, "queued"], limit: 1000 },
    { find: "run", index: "sessionState", equals: [sessionRow, "claimed"], limit: 10 },
    { find: "run", index: "sessionState", equals: [sessionRow, "running"], limit: 10 },
    { find: "yield", index: "session", equals: [sessionRow, "waiting"], limit: 100 },
  ]);
  const yielded = await engine.store.read(waiting.map(({ runId }) => ({ get: "run", key: runId }) as const));
  return [...queued, ...claimed, ...running, ...yielded.filter((run) => run !== undefined)];
}
