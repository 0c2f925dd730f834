import type { JobRecord, SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
import { childrenOfRun, unsettledChildren } from "../spawns/read-spawns.ts";
import type { JobStep } from "./run-due-jobs.ts";

/** Cancels the unsettled children of a run (`run:<id>`) or of a session (`session:<row>`); theirs follow in turn. */
export async function cascade(engine: Engine, job: JobRecord): Promise<JobStep> {
  const children = await leftOf(engine, job);
  for (const child of children) {
    await cancelSpawn(engine, child);
    engine.faultPoint("cancel.partial-cascade");
  }
  const left = await leftOf(engine, job);
  return left.length === 0 ? "done" : { retryInMs: 1_000 };
}

/** Ids tell their order: a child that a session has spawned since then is not meant. */
async function leftOf(engine: Engine, job: JobRecord): Promise<readonly SpawnRecord[]> {
  const [of, id = ""] = job.ref.split(":");
  if (of !== "run") return (await unsettledChildren(engine, id)).filter((child) => child.id < job.id);
  return (await childrenOfRun(engine, id)).filter(({ state }) => state !== "settled");
}
