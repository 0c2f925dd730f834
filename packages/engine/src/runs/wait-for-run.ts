import type { RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { onEnd } from "./run-ends.ts";
import { isEnded } from "./run-states.ts";
import { lookAgainMs, sleepUntilWoken } from "./sleep.ts";

/** What a wait on a run came to. */
export type WaitedRun =
  | { readonly ended: RunRecord }
  | { readonly phase: "queued" | "running" | "yielded" }
  | { readonly missing: true }
  | { readonly abandoned: true };

const successorsAtMost = 10_000;

/**
 * Waits for the end of a run, across yields and merges, in any process: subscribes, reads, then sleeps until a hint, the
 * deadline, or `signal`; what ends in this process is told without a look. Holds no lock, lane or transaction.
 */
export async function waitForRun(
  engine: Engine,
  runId: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<WaitedRun> {
  const deadline = engine.clock.now() + timeoutMs;
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  const watched = new Set([runId]);
  const unsubscribe = engine.store.subscribe((hints) => {
    if (hints.some(({ id }) => watched.has(id))) wake();
  });
  let ended: RunRecord | undefined;
  const stopListening = onEnd(engine, runId, (run) => {
    ended = run;
    wake();
  });
  signal?.addEventListener("abort", wake);
  try {
    while (true) {
      const state = ended ? { ended } : await readRun(engine, runId, watched);
      if (!("phase" in state)) return state;
      if (signal?.aborted) return { abandoned: true };
      const left = deadline - engine.clock.now();
      if (left <= 0) return state;
      await sleepUntilWoken(engine, Math.min(left, lookAgainMs), woken.promise);
      woken = Promise.withResolvers<void>();
      // A hint comes before the word of this process, in the same turn of the event loop.
      await new Promise(setImmediate);
    }
  } finally {
    unsubscribe();
    stopListening();
    signal?.removeEventListener("abort", wake);
  }
}

async function readRun(engine: Engine, runId: string, watched: Set<string>): Promise<WaitedRun> {
  let id = runId;
  for (let step = 0; step < successorsAtMost; step++) {
    watched.add(id);
    const [run] = await engine.store.read([{ get: "run", key: id }]);
    if (!run) return { missing: true };
    if (run.successorId !== null) id = run.successorId;
    else if (run.state === "yielded") return { phase: "yielded" };
    else if (isEnded(run)) return { ended: run };
    else return { phase: phaseOf(run) };
  }
  return { missing: true };
}

// A resume that waits for its turn is still the yielded run to whoever waits.
function phaseOf(run: RunRecord): "queued" | "running" | "yielded" {
  if (run.state !== "queued") return "running";
  return run.kind === "resume" ? "yielded" : "queued";
}
