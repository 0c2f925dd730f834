import type { Engine } from "../engine.ts";
import { runDueJobs } from "../maintenance/run-due-jobs.ts";
import { createOutboxWorker } from "../outbox/outbox-worker.ts";
import { abortLiveRun } from "../runs/live-run.ts";
import { createDispatcher } from "./dispatcher.ts";
import { joinProcesses, leaveProcesses, renewEveryMs, renewLease, sweepProcesses } from "./lease.ts";
import { nextDueAt, timeOutOverdue } from "./overdue.ts";

/** Everything that works by itself once `start()` was called: runs, timers, jobs, outbox, lease. */
export interface Worker {
  start(): Promise<void>;
  stop(drainMs: number): Promise<void>;
  wake(): void;
  /** What this process is doing at the moment; empty when it is quiet. */
  activity(): readonly string[];
}

const sweepEveryMs = 1_000;
const sweepIdleEveryMs = 5_000;

export function createWorker(engine: Engine, state: { started: boolean }): Worker {
  const dispatcher = createDispatcher(engine);
  const outbox = createOutboxWorker(engine);
  const timers = new Map<string, () => void>();
  let unsubscribe: (() => void) | undefined;
  let cycling: Promise<void> | undefined;
  let again = false;

  function setTimer(name: string, delayMs: number, callback: () => void): void {
    timers.get(name)?.();
    timers.set(name, engine.clock.setTimer(delayMs, callback));
  }

  function wake(): void {
    if (!state.started) return;
    again = true;
    cycling ??= cycle().finally(() => {
      cycling = undefined;
    });
  }

  async function cycle(): Promise<void> {
    while (again && state.started) {
      again = false;
      try {
        await timeOutOverdue(engine);
        await dispatcher.dispatch();
        await outbox.dispatch();
        await runDueJobs(engine);
        await setAlarm();
      } catch (error) {
        engine.logger.error({ err: error }, "the store could not be worked on; trying again soon");
        setTimer("alarm", sweepEveryMs, wake);
        return;
      }
    }
  }

  async function setAlarm(): Promise<void> {
    const due = await nextDueAt(engine);
    if (due === undefined) return;
    setTimer("alarm", Math.max(due - engine.clock.now(), 1), wake);
  }

  async function beat(): Promise<void> {
    try {
      if (!(await renewLease(engine))) await rejoin();
      await sweepProcesses(engine);
    } catch (error) {
      engine.logger.error({ err: error }, "the lease could not be renewed; trying again");
    }
    wake();
  }

  async function rejoin(): Promise<void> {
    engine.logger.warn({ process: engine.process.id }, "this process was declared dead; its runs are given up");
    for (const [id, live] of [...engine.live]) {
      engine.live.delete(id);
      abortLiveRun(live, "superseded");
    }
    await joinProcesses(engine);
  }

  function repeat(name: string, delayMs: () => number, work: () => void): void {
    setTimer(name, delayMs(), () => {
      if (!state.started) return;
      work();
      repeat(name, delayMs, work);
    });
  }

  return {
    wake,
    async start() {
      if (state.started) return;
      await joinProcesses(engine);
      state.started = true;
      unsubscribe = engine.store.subscribe((hints) => {
        if (hints.some(({ about }) => about === "run"))
          void checkLiveRuns(
            engine,
            hints.map(({ id }) => id),
          );
        wake();
      });
      await sweepProcesses(engine);
      repeat(
        "beat",
        () => renewEveryMs,
        () => void beat(),
      );
      repeat("sweep", () => (dispatcher.busy > 0 ? sweepEveryMs : sweepIdleEveryMs), wake);
      wake();
    },
    async stop(drainMs) {
      if (!state.started) return;
      state.started = false;
      for (const cancel of timers.values()) cancel();
      timers.clear();
      unsubscribe?.();
      await cycling;
      await within(drainMs, Promise.all([dispatcher.idle(), outbox.idle()]));
      for (const live of engine.live.values()) abortLiveRun(live, "stopping");
      await within(1_000, dispatcher.idle());
      for (const { run } of [...engine.live.values()]) await giveUp(engine, run);
      await leaveProcesses(engine);
    },
    activity: () => [
      ...[...engine.live.values()].map(({ run, session }) => `run ${run.id} (${run.kind}) in ${session.sessionKey}`),
      ...(cycling || dispatcher.busy > engine.live.size ? ["the dispatcher"] : []),
      ...outbox.activity(),
    ],
  };
}

async function giveUp(engine: Engine, run: { readonly id: string; readonly fence: number }): Promise<void> {
  const { completeRun } = await import("../runs/complete-run.ts");
  await completeRun(engine, run, {
    state: "interrupted",
    text: null,
    rows: [],
    code: "run_interrupted",
    error: "The process stopped while the run was going",
  });
}

/** A live run that was ended elsewhere learns of it by the hint of that commit. */
async function checkLiveRuns(engine: Engine, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) {
    const live = engine.live.get(id);
    if (!live) continue;
    const [run] = await engine.store.read([{ get: "run", key: id }]);
    if (run?.state === "running" && run.fence === live.run.fence) continue;
    if (engine.live.get(id) !== live || run?.state === "ok" || run?.state === "error" || run?.state === "yielded")
      continue;
    engine.live.delete(id);
    abortLiveRun(live, run?.state === "timeout" || run?.state === "cancelled" ? run.state : "superseded");
  }
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
