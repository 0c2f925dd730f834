import type { JobRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";
import { cascade } from "./cascade-job.ts";
import { cleanUpChild } from "./cleanup-child-job.ts";
import { purgeSession } from "./purge-session-job.ts";

/** What a step of a job came to: finished, to go on at once, or to look again later. */
export type JobStep = "done" | "more" | { readonly retryInMs: number };

const handlers: { readonly [K in JobRecord["kind"]]: (engine: Engine, job: JobRecord) => Promise<JobStep> } = {
  cascade,
  cleanup_child: cleanUpChild,
  purge_session: purgeSession,
  unbind: async () => "done",
};

const stepsAtOnce = 20;

/** Works on the jobs that are due, a few steps each; every step can be repeated, by any process. */
export async function runDueJobs(engine: Engine): Promise<void> {
  const below = engine.clock.now() + 1;
  const [jobs] = await engine.store.read([
    { find: "job", index: "due", equals: [], from: 0, below, limit: stepsAtOnce },
  ]);
  for (const job of jobs) {
    try {
      await finish(engine, job, await handlers[job.kind](engine, job));
    } catch (error) {
      engine.logger.error({ err: error, job: job.kind }, "a job failed; it is tried again");
      await finish(engine, job, { retryInMs: 5_000 });
    }
  }
}

async function finish(engine: Engine, job: JobRecord, step: JobStep): Promise<void> {
  await decide<void>(engine, async () => {
    const [current] = await engine.store.read([{ get: "job", key: job.id }]);
    if (!current) return { answer: undefined };
    const draft = createDraft();
    if (step === "done") draft.record({ kind: "job", key: job.id, remove: true, optional: true });
    else {
      const dueAt = engine.clock.now() + (step === "more" ? 0 : step.retryInMs);
      draft.record({ kind: "job", key: job.id, set: { dueAt }, add: { attempts: 1 }, optional: true });
    }
    return { commit: draft, answer: undefined };
  });
}
