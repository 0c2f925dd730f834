import type { JobRecord, SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
import type { JobStep } from "./run-due-jobs.ts";

/** Cancels the unsettled children of a run (`run:<id>`) or of a session (`session:<row>`); theirs follow in turn. */
export async function cascade(engine: Engine, job: JobRecord): Promise<JobStep> {
  const children = await unsettledChildren(engine, job.ref);
  for (const child of children) {
    await cancelSpawn(engine, child);
    engine.faultPoint("cancel.partial-cascade");
  }
  const left = await unsettledChildren(engine, job.ref);
  return left.length === 0 ? "done" : { retryInMs: 1_000 };
}

async function unsettledChildren(engine: Engine, ref: string): Promise<readonly SpawnRecord[]> {
  const [of, id = ""] = ref.split(":");
  const [spawns] = await engine.store.read([
    of === "run"
      ? { find: "spawn", index: "requesterRun", equals: [id], limit: 1000 }
      : { find: "spawn", index: "requester", equals: [id], limit: 1000 },
  ]);
  return spawns.filter(({ state }) => state !== "settled");
}
