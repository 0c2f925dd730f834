import type { WakeHint } from "@trunkline/core";

export type HintListener = (hints: readonly WakeHint[]) => void;

/** The local subscribers of a store. */
export interface HintListeners {
  readonly size: number;
  add(listener: HintListener): () => void;
  /** Tells them in this tick, each in a microtask of its own: one that throws keeps hints from no other. */
  publish(hints: readonly WakeHint[]): void;
}

export function createHintListeners(): HintListeners {
  const listeners = new Set<{ readonly call: HintListener }>();
  return {
    get size() {
      return listeners.size;
    },
    add(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    publish(hints) {
      if (hints.length === 0) return;
      for (const entry of listeners) {
        queueMicrotask(() => {
          if (listeners.has(entry)) entry.call(hints);
        });
      }
    },
  };
}
