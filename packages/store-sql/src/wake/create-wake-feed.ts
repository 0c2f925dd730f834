import type { WakeHint } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { pruneChanges } from "./changes-feed.ts";
import { type PollSource, pollFeed } from "./feed-poll.ts";
import { createHintListeners, type HintListener } from "./hint-listeners.ts";

const hintsBetweenPrunes = 1000;

/** Hands hints to local subscribers, and looks for those of other handles while there are any. */
export interface WakeFeed {
  subscribe(listener: HintListener): () => void;
  publish(hints: readonly WakeHint[]): void;
  close(): void;
}

export function createWakeFeed(context: SqlContext, executor: SqlExecutor, poll: PollSource | undefined): WakeFeed {
  const listeners = createHintListeners();
  let stopPolling: (() => void) | undefined;
  let written = 0;
  let closed = false;

  function stop(): void {
    stopPolling?.();
    stopPolling = undefined;
  }

  return {
    subscribe(listener) {
      const remove = listeners.add(listener);
      if (poll !== undefined && !closed) stopPolling ??= pollFeed(context, executor, poll, listeners.publish);
      return () => {
        remove();
        if (listeners.size === 0) stop();
      };
    },
    publish(hints) {
      listeners.publish(hints);
      written += hints.length;
      if (written < hintsBetweenPrunes) return;
      written = 0;
      // A missed removal is made up for by the next one.
      void executor.write(() => pruneChanges(context, Date.now())).catch(() => undefined);
    },
    close() {
      closed = true;
      stop();
    },
  };
}
