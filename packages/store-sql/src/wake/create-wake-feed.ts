import type { WakeHint } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { pruneChanges } from "./changes-feed.ts";
import { type FeedPoll, type PollSource, pollFeed } from "./feed-poll.ts";
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
  let polling: FeedPoll | undefined;
  let written = 0;
  let closed = false;

  function stop(): void {
    polling?.stop();
    polling = undefined;
  }

  return {
    subscribe(listener) {
      const remove = listeners.add(listener);
      if (poll !== undefined && !closed) polling ??= pollFeed(context, executor, poll, listeners.publish);
      return () => {
        remove();
        if (listeners.size === 0) stop();
      };
    },
    publish(hints) {
      listeners.publish(hints);
      polling?.noteActivity();
      written += hints.length;
      if (poll === undefined || written < hintsBetweenPrunes) return;
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
