import { type Dispatcher, type OfferOutcome, TrunklineError } from "@trunkline/core";
import { DelayedError, type Job, Queue, Worker } from "bullmq";

export interface BullmqDispatcherOptions {
  /** Redis, e.g. `redis://127.0.0.1:6379`. */
  readonly url: string;
  /** Names the queue; installations that share a Redis need names of their own. Default `trunkline`. */
  readonly queue?: string;
  /** Runs that this process works on at once; default 32. The lanes' own caps hold besides. */
  readonly concurrency?: number;
  /** How long a job may be without a sign of life before another worker gets it; default 30 000. */
  readonly stalledAfterMs?: number;
}

const retryFullMs = 200;

/**
 * A dispatcher on BullMQ: a job is a run's id and nothing else. Whoever gets the job claims the run in the store, which
 * alone decides; a job for a run that is not to be had ends quietly, so Redis may be wiped at any time.
 */
export function createBullmqDispatcher(options: BullmqDispatcherOptions): Dispatcher {
  const name = options.queue ?? "trunkline";
  const connection = { url: options.url, maxRetriesPerRequest: null };
  const queue = new Queue(name, { connection, skipVersionCheck: true });
  let worker: Worker | undefined;
  let stopped: Promise<void> | undefined;
  // Errors of the connection surface in the calls that need it; without a listener they would end the process.
  queue.on("error", () => undefined);
  return {
    async offer({ id, lane }) {
      try {
        await queue.add(lane, {}, { jobId: id, removeOnComplete: true, removeOnFail: true });
      } catch (error) {
        throw unavailable(error);
      }
    },
    async start(take) {
      const lockDuration = options.stalledAfterMs ?? 30_000;
      worker = new Worker(name, (job, token) => work(job, token, take), {
        connection,
        concurrency: options.concurrency ?? 32,
        lockDuration,
        stalledInterval: lockDuration,
        maxStalledCount: 10,
        skipVersionCheck: true,
      });
      worker.on("error", () => undefined);
      await worker.waitUntilReady();
    },
    stop() {
      stopped ??= (async () => {
        await worker?.close();
        await queue.close();
      })();
      return stopped;
    },
  };
}

async function work(
  job: Job,
  token: string | undefined,
  take: (runId: string) => Promise<OfferOutcome>,
): Promise<void> {
  if ((await take(job.id ?? "")) !== "full") return;
  await job.moveToDelayed(Date.now() + retryFullMs, token);
  throw new DelayedError();
}

function unavailable(cause: unknown): TrunklineError {
  return new TrunklineError("store_unavailable", "the dispatcher's Redis could not be reached; the run stays queued", {
    cause,
    retryable: true,
    fix: "Check the Redis URL and that the server runs.",
  });
}
