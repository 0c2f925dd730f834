import type { WakeHint } from "@trunkline/core";

export type HintListener = (hints: readonly WakeHint[]) => void;

/** The local subscribers of a store. A listener that throws does not keep hints from the others. */
export interface HintListeners {
  readonly size: number;
  add(listener: HintListener): () => void;
  /** Tells them in a microtask, so that a commit's own caller goes first. */
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
