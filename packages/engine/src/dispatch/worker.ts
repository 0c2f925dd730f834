import type { RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { relayEvents } from "../events/relay-events.ts";
import { createChildArchiver } from "../maintenance/archive-children.ts";
import { createRetention } from "../maintenance/retention.ts";
import { runCascades, runDueJobs } from "../maintenance/run-due-jobs.ts";
import { createOutboxWorker } from "../outbox/outbox-worker.ts";
import { abortLiveRun } from "../runs/live-run.ts";
import { createLocalDispatcher } from "./dispatcher.ts";
import { joinProcesses, leaveProcesses, renewEveryMs, renewLease, sweepProcesses } from "./lease.ts";
import { interruptLiveRuns, stopEndedRuns, supersedeLiveRuns } from "./live-runs.ts";
import { lookForWork, type WorkSeen } from "./look-for-work.ts";
import { createOfferingDispatcher } from "./offering-dispatcher.ts";
import { nextDueAt, timeOutOverdue } from "./overdue.ts";
import { createTimers } from "./timers.ts";

/** Everything that works by itself once `start()` was called: runs, timers, jobs, outbox, lease. */
export interface Worker {
  start(): Promise<void>;
  stop(drainMs: number): Promise<void>;
  /** Looks for work soon, and at first at runs that were queued just now. */
  wake(queued?: readonly RunRecord[]): void;
  /** What this process is doing at the moment; empty when it is quiet. */
  activity(): readonly string[];
}

const sweepEveryMs = 1_000;
const lastWordMs = 1_000;

export function createWorker(engine: Engine, state: { started: boolean }): Worker {
  const dispatcher = engine.dispatcher
    ? createOfferingDispatcher(engine, engine.dispatcher)
    : createLocalDispatcher(engine);
  const outbox = createOutboxWorker(engine);
  const archiver = createChildArchiver(engine);
  const timers = createTimers(engine.clock);
  const retention = createRetention(engine, timers);
  let unsubscribe: (() => void) | undefined;
  let stopRelay: (() => void) | undefined;
  let cycling: Promise<void> | undefined;
  let beating: Promise<void> | undefined;
  let again = false;
  const fresh: RunRecord[] = [];

  function wake(queued: readonly RunRecord[] = []): void {
    if (!state.started) return;
    fresh.push(...queued);
    again = true;
    cycling ??= cycle();
  }

  async function cycle(): Promise<void> {
    try {
      while (again && state.started) {
        // Whatever else is committed or heard of in this turn of the event loop is seen by the same look.
        await new Promise(setImmediate);
        again = false;
        await dispatcher.dispatchFresh(fresh.splice(0));
        const seen = await lookForWork(engine, dispatcher.runsAtOnce);
        if (seen.overdue) await timeOutOverdue(engine);
        if (seen.jobs || seen.overdue) await runCascades(engine);
        await dispatcher.dispatch(seen.claimable);
        if (seen.deliveries) await outbox.dispatch();
        if (seen.jobs) await runDueJobs(engine);
        await archiver.sweep();
        await setAlarm(seen);
      }
    } catch (error) {
      engine.logger.error({ err: error }, "the store could not be worked on; trying again soon");
      if (state.started) timers.set("alarm", sweepEveryMs, () => wake());
    } finally {
      // In the same tick as the last look at `again`, or a wake in between would be lost.
      cycling = undefined;
    }
  }

  async function setAlarm({ overdue, deliveries, jobs, nextAt }: WorkSeen): Promise<void> {
    const next = overdue || deliveries || jobs ? await nextDueAt(engine) : nextAt;
    const due = earliest(next, archiver.nextAt());
    if (due !== undefined && state.started) timers.set("alarm", Math.max(due - engine.clock.now(), 1), () => wake());
    if (dispatcher.busy > 0 && state.started) timers.setUnlessSet("sweep", sweepEveryMs, () => wake());
  }

  /** Goes on while the process drains, so that its lease does not run out under its last runs. */
  async function beat(): Promise<void> {
    try {
      if (!(await renewLease(engine))) await rejoin();
      await stopEndedRuns(engine);
      if (state.started) await sweepProcesses(engine);
    } catch (error) {
      engine.logger.error({ err: error }, "the lease could not be renewed; trying again");
    } finally {
      beating = undefined;
    }
    wake();
  }

  async function rejoin(): Promise<void> {
    engine.logger.warn({ process: engine.process.id }, "this process was declared dead; its runs are given up");
    supersedeLiveRuns(engine);
    await joinProcesses(engine);
  }

  async function settleRest(): Promise<void> {
    try {
      await interruptLiveRuns(engine);
      await leaveProcesses(engine);
    } catch (error) {
      engine.logger.warn(
        { err: error },
        "what was left could not be settled; another process will, when the lease ends",
      );
    }
    engine.live.clear();
  }

  return {
    wake,
    async start() {
      if (state.started) return;
      await joinProcesses(engine);
      state.started = true;
      if (engine.store.capabilities.shared) stopRelay = relayEvents(engine);
      unsubscribe = engine.store.subscribe((hints) => {
        const runs = hints.filter(({ about }) => about === "run").map(({ id }) => id);
        stopEndedRuns(engine, runs).catch((error: unknown) =>
          engine.logger.warn({ err: error }, "runs that ended elsewhere are looked for again with the next lease"),
        );
        if (hints.some((hint) => !engine.ownHints.has(hint))) wake();
      });
      await sweepProcesses(engine);
      await dispatcher.start();
      retention.start();
      timers.repeat("beat", renewEveryMs, () => {
        beating ??= beat();
      });
      wake();
    },
    async stop(drainMs) {
      if (!state.started) return;
      state.started = false;
      await cycling;
      const stopped = dispatcher.stop();
      await within(drainMs, Promise.all([dispatcher.idle(), outbox.idle()]));
      for (const live of engine.live.values()) abortLiveRun(live, "stopping");
      outbox.stop();
      await within(lastWordMs, Promise.all([dispatcher.idle(), outbox.idle()]));
      timers.cancelAll();
      unsubscribe?.();
      stopRelay?.();
      await Promise.all([beating, retention.idle()]);
      await settleRest();
      await within(lastWordMs, stopped);
    },
    activity: () => [
      ...[...engine.live.values()].map(({ run, session }) => `run ${run.id} (${run.kind}) in ${session.sessionKey}`),
      ...(cycling || dispatcher.busy > engine.live.size ? ["the dispatcher"] : []),
      ...outbox.activity(),
    ],
  };
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

// Real time on purpose: how long a process may take to stop has nothing to do with the engine's clock.
function within(limitMs: number, work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    void work.finally(() => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}
