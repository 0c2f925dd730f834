import type { Engine } from "../engine.ts";

/**
 * Gives some outside work a time limit: past it, or when `stop` fires, the work's signal is aborted and `late` is the
 * answer, whether or not the work listens; what it says afterwards is ignored.
 */
export async function withinLimit<T>(
  engine: Engine,
  limits: { readonly limitMs: number; readonly late: T; readonly stop?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const over = Promise.withResolvers<T>();
  const giveUp = (reason: string) => {
    over.resolve(limits.late);
    controller.abort(new DOMException(reason, "AbortError"));
  };
  const stopped = () => giveUp("stopping");
  const cancelTimer = engine.clock.setTimer(limits.limitMs, () => giveUp("timeout"));
  limits.stop?.addEventListener("abort", stopped);
  try {
    return await Promise.race([work(controller.signal), over.promise]);
  } finally {
    cancelTimer();
    limits.stop?.removeEventListener("abort", stopped);
  }
}
