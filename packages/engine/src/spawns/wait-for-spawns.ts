import type { SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { lookAgainMs, sleepUntilWoken } from "../runs/sleep.ts";

/** Waits until all or any of some children have settled, in any process; consumes no completion. */
export async function waitForSpawns(
  engine: Engine,
  spawns: readonly SpawnRecord[],
  mode: "all" | "any",
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<{ readonly done: readonly SpawnRecord[]; readonly pending: readonly SpawnRecord[] }> {
  const deadline = engine.clock.now() + timeoutMs;
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  const requesters = new Set(spawns.map(({ requesterRow }) => requesterRow));
  const unsubscribe = engine.store.subscribe((hints) => {
    if (hints.some(({ id }) => requesters.has(id))) wake();
  });
  signal?.addEventListener("abort", wake);
  try {
    while (true) {
      const current = await engine.store.read(spawns.map(({ id }) => ({ get: "spawn", key: id }) as const));
      const found = current.filter((spawn) => spawn !== undefined);
      const done = found.filter(({ state }) => state === "settled");
      const pending = found.filter(({ state }) => state !== "settled");
      const over = pending.length === 0 || (mode === "any" && done.length > 0);
      const left = deadline - engine.clock.now();
      if (over || left <= 0 || signal?.aborted) return { done, pending };
      await sleepUntilWoken(engine, Math.min(left, lookAgainMs), woken.promise);
      woken = Promise.withResolvers<void>();
    }
  } finally {
    unsubscribe();
    signal?.removeEventListener("abort", wake);
  }
}
