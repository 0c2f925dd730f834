import type { RunRecord, SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { addCascade } from "../maintenance/add-cascade.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
import { spawnOfChild, unsettledChildren } from "../spawns/read-spawns.ts";
import { createDraft } from "../transaction-draft.ts";
import { cancelRun } from "./cancel-run.ts";

const passesAtMost = 20;

/** Cancels everything that a session has going: its runs, queued and active, its open yields, its children. Returns the runs. */
export async function abortSession(engine: Engine, session: SessionRecord): Promise<readonly string[]> {
  const aborted = await abortRuns(engine, session);
  const own = await spawnOfChild(engine, session.id);
  // One that only waits for its children has no run to abort, and would be continued when they are gone.
  if (own?.state === "waiting_children" && (await cancelSpawn(engine, own))) aborted.push(own.runId);
  return [...aborted, ...(await abortChildren(engine, session))];
}

/** The intent is committed first, so that a process which dies in between has not left half of them going. */
async function abortChildren(engine: Engine, { id }: SessionRecord): Promise<readonly string[]> {
  const children = await unsettledChildren(engine, id);
  if (children.length === 0) return [];
  await decide<void>(engine, async () => {
    const draft = createDraft();
    await addCascade(engine, draft, `session:${id}`, engine.clock.now());
    return { commit: draft, answer: undefined };
  });
  for (const child of children) await cancelSpawn(engine, child);
  // The job may have been faster: it counts what they came to, not who did it.
  const settled = await engine.store.read(children.map((child) => ({ get: "spawn", key: child.id }) as const));
  return settled.flatMap((spawn) => (spawn?.outcome === "cancelled" ? [spawn.runId] : []));
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
