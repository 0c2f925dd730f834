import type { JobRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { JobStep } from "./run-due-jobs.ts";

const rowsAtOnce = 500;

/** Removes what a deleted session held, in small commits. */
export async function purgeSession(engine: Engine, job: JobRecord): Promise<JobStep> {
  const { more } = await engine.store.prune({ what: "session", sessionRow: job.ref, limit: rowsAtOnce });
  engine.faultPoint("purge.partial");
  return more ? "more" : "done";
}
