import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { lastChange, readChanges } from "./changes-feed.ts";
import type { HintListener } from "./hint-listeners.ts";

/** How a database without push tells that other handles wrote. */
export interface PollSource {
  /** Milliseconds between looks while something happens. */
  readonly everyMs: number;
  /** Milliseconds between looks when nothing has happened for five seconds. */
  readonly idleEveryMs: number;
  /** A cheap look at whether the feed may have grown since the last call. */
  hasNews(): boolean;
}

export interface FeedPoll {
  /** Something happens here: look often for a while. */
  noteActivity(): void;
  stop(): void;
}

const activeForMs = 5000;

/** Reads other handles' hints from the feed until it is stopped. A look that fails is taken again with the next one. */
export function pollFeed(
  context: SqlContext,
  executor: SqlExecutor,
  source: PollSource,
  deliver: HintListener,
): FeedPoll {
  let stopped = false;
  let after: number | undefined;
  let unread = true;
  let activeUntil = performance.now() + activeForMs;
  let timer: NodeJS.Timeout | undefined;
  let waitsLong = false;

  async function look(): Promise<void> {
    unread ||= source.hasNews();
    if (!unread) return;
    if (after === undefined) {
      after = await executor.query(() => lastChange(context));
    } else {
      const from = after;
      const page = await executor.query(() => readChanges(context, from));
      after = page.last;
      if (!stopped) deliver(page.hints);
    }
    unread = false;
    activeUntil = performance.now() + activeForMs;
  }

  function tick(): void {
    // What went wrong shows in the next operation of the store; hints may be late.
    look().then(schedule, schedule);
  }

  function schedule(): void {
    if (stopped) return;
    waitsLong = performance.now() > activeUntil;
    timer = setTimeout(tick, waitsLong ? source.idleEveryMs : source.everyMs).unref();
  }

  tick();
  return {
    noteActivity() {
      activeUntil = performance.now() + activeForMs;
      if (!waitsLong || stopped) return;
      clearTimeout(timer);
      schedule();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
