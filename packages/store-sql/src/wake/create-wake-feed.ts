import type { WakeHint } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { pruneChanges } from "./changes-feed.ts";
import { type FeedPoll, type PollSource, pollFeed } from "./feed-poll.ts";
import type { HintChannel } from "./hint-channel.ts";
import { createHintListeners, type HintListener } from "./hint-listeners.ts";
import { createPushedHints } from "./pushed-hints.ts";

const hintsBetweenPrunes = 1000;

/** Hands hints to local subscribers, and looks for those of other handles while there are any. */
export interface WakeFeed {
  subscribe(listener: HintListener): () => void;
  publish(hints: readonly WakeHint[]): void;
  /** Publishes what was held back. */
  flush(): void;
  close(): Promise<void>;
}

export interface WakeFeedOptions {
  readonly poll?: PollSource | undefined;
  readonly push?: HintChannel | undefined;
  /** Hints wait for `flush`: what they are about becomes visible later. */
  readonly holdsHints?: boolean | undefined;
}

export function createWakeFeed(
  context: SqlContext,
  executor: SqlExecutor,
  { poll, push, holdsHints }: WakeFeedOptions,
): WakeFeed {
  const listeners = createHintListeners();
  const pushed = createPushedHints();
  let polling: FeedPoll | undefined;
  let listens = false;
  let written = 0;
  let held: readonly WakeHint[] = [];
  let closed = false;

  function start(): void {
    if (closed) return;
    if (poll !== undefined) polling ??= pollFeed(context, executor, poll, fromFeed);
    if (listens) return;
    listens = true;
    push?.listen(fromChannel);
  }

  function stop(): void {
    polling?.stop();
    polling = undefined;
  }

  function fromChannel(hints: readonly WakeHint[]): void {
    pushed.note(hints);
    listeners.publish(hints);
  }

  function fromFeed(hints: readonly WakeHint[]): void {
    listeners.publish(push === undefined ? hints : pushed.missed(hints));
  }

  function publishNow(hints: readonly WakeHint[]): void {
    if (hints.length === 0) return;
    listeners.publish(hints);
    push?.send(hints);
    polling?.noteActivity();
    written += hints.length;
    if (poll === undefined || written < hintsBetweenPrunes) return;
    written = 0;
    // A missed removal is made up for by the next one.
    void executor.write(() => pruneChanges(context, Date.now())).catch(() => undefined);
  }

  return {
    subscribe(listener) {
      const remove = listeners.add(listener);
      start();
      return () => {
        remove();
        if (listeners.size === 0) stop();
      };
    },
    publish(hints) {
      if (holdsHints) held = [...held, ...hints];
      else publishNow(hints);
    },
    flush() {
      const hints = held;
      held = [];
      publishNow(hints);
    },
    async close() {
      closed = true;
      stop();
      await push?.close();
    },
  };
}
