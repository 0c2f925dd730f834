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

/** Goes on with cancelling, before anything is started: a run that is about to be cancelled should not begin. */
export async function runCascades(engine: Engine): Promise<void> {
  const now = engine.clock.now();
  const [jobs] = await engine.store.read([{ find: "job", index: "ref", equals: ["cascade"], limit: 1000 }]);
  for (const job of jobs) if (job.dueAt <= now) await runStep(engine, job);
}

/** Works on the other jobs that are due, a few steps each; every step can be repeated, by any process. */
export async function runDueJobs(engine: Engine): Promise<void> {
  const below = engine.clock.now() + 1;
  const [jobs] = await engine.store.read([
    { find: "job", index: "due", equals: [], from: 0, below, limit: stepsAtOnce },
  ]);
  for (const job of jobs) if (job.kind !== "cascade") await runStep(engine, job);
}

async function runStep(engine: Engine, job: JobRecord): Promise<void> {
  try {
    await finish(engine, job, await handlers[job.kind](engine, job));
  } catch (error) {
    engine.logger.error({ err: error, job: job.kind }, "a job failed; it is tried again");
    await finish(engine, job, { retryInMs: 5_000 });
  }
}

/** A job that was asked for once more while its step was going is not over with this step. */
async function finish(engine: Engine, job: JobRecord, step: JobStep): Promise<void> {
  await decide<void>(engine, async () => {
    const [current] = await engine.store.read([{ get: "job", key: job.id }]);
    if (current?.attempts !== job.attempts) return { answer: undefined };
    const draft = createDraft();
    const when = { attempts: job.attempts };
    if (step === "done") draft.record({ kind: "job", key: job.id, when, remove: true });
    else {
      const dueAt = engine.clock.now() + (step === "more" ? 0 : step.retryInMs);
      draft.record({ kind: "job", key: job.id, when, set: { dueAt }, add: { attempts: 1 } });
    }
    return { commit: draft, answer: undefined };
  });
}
