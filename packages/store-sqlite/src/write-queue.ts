import type { Steps, Written } from "@trunkline/store-sql";

/** A write that waits for its transaction. */
export interface WaitingWrite {
  readonly steps: () => Steps<Written<unknown>>;
  /** On the clock of `performance.now()`. */
  readonly arrivedAt: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface WriteQueue {
  push<T>(steps: () => Steps<Written<T>>): Promise<T>;
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>;
}

const groupSize = 64;

/**
 * Collects the writes that arrive in one turn of the event loop and hands them over as a group, one group at a time, in
 * the order of their arrival. `commit` settles members from the front and tells how many.
 */
export function createWriteQueue(commit: (group: readonly WaitingWrite[]) => Promise<number>): WriteQueue {
  const waiting: WaitingWrite[] = [];
  let scheduled: Promise<void> | undefined;

  // Each group has a turn of the event loop of its own, so that a stream of writes leaves room for timers and sockets.
  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      await new Promise(setImmediate);
      waiting.splice(0, await commit(waiting.slice(0, groupSize)));
    }
    scheduled = undefined;
  }

  return {
    push<T>(steps: () => Steps<Written<T>>) {
      return new Promise<T>((resolve, reject) => {
        const resolveAny = resolve as (value: unknown) => void;
        waiting.push({ steps, arrivedAt: performance.now(), resolve: resolveAny, reject });
        scheduled ??= flush();
      });
    },
    drained: async () => scheduled,
  };
}
