import type { JobRecord, SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { cancelSpawn } from "../spawns/end-spawn.ts";
import { childrenOfRun, unsettledChildren } from "../spawns/read-spawns.ts";
import type { JobStep } from "./run-due-jobs.ts";

/** Cancels the unsettled children of a run (`run:<id>`) or of a session (`session:<row>`); theirs follow in turn. */
export async function cascade(engine: Engine, job: JobRecord): Promise<JobStep> {
  const children = await leftOf(engine, job.ref);
  for (const child of children) {
    await cancelSpawn(engine, child);
    engine.faultPoint("cancel.partial-cascade");
  }
  const left = await leftOf(engine, job.ref);
  return left.length === 0 ? "done" : { retryInMs: 1_000 };
}

async function leftOf(engine: Engine, ref: string): Promise<readonly SpawnRecord[]> {
  const [of, id = ""] = ref.split(":");
  if (of !== "run") return unsettledChildren(engine, id);
  return (await childrenOfRun(engine, id)).filter(({ state }) => state !== "settled");
}
