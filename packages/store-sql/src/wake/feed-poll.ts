import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { lastChange, readChanges } from "./changes-feed.ts";
import { createFeedPosition, type FeedPosition } from "./feed-position.ts";
import type { HintListener } from "./hint-listeners.ts";

/** How a database without push tells that other handles wrote. */
export interface PollSource {
  /** Milliseconds between looks while something happens. */
  readonly everyMs: number;
  /** Milliseconds between looks when nothing has happened for five seconds. */
  readonly idleEveryMs: number;
  /** A cheap look at whether the feed may have grown since the last call; without it the feed is read every time. */
  hasNews?(): boolean;
}

export interface FeedPoll {
  /** Something happens here: look often for a while. */
  noteActivity(): void;
  stop(): void;
}

const activeForMs = 5000;
// What was written while the reader began is read too: it looks some rows back, for those of the last two seconds.
const earlierRows = 200;
const earlierMs = 2000;

/** Reads other handles' hints from the feed until it is stopped. A look that fails is taken again with the next one. */
export function pollFeed(
  context: SqlContext,
  executor: SqlExecutor,
  source: PollSource,
  deliver: HintListener,
): FeedPoll {
  const since = Date.now() - earlierMs;
  let stopped = false;
  let position: FeedPosition | undefined;
  let unread = true;
  let activeUntil = performance.now() + activeForMs;
  let timer: NodeJS.Timeout | undefined;
  let waitsLong = false;

  async function look(): Promise<void> {
    unread ||= source.hasNews?.() ?? true;
    // Commits without hints, such as the renewal of a lease, are no sign that more will come.
    if (unread && (await readFeed())) activeUntil = performance.now() + activeForMs;
  }

  async function readFeed(): Promise<boolean> {
    position ??= createFeedPosition(Math.max(0, (await executor.query(() => lastChange(context))) - earlierRows));
    const range = { after: position.after, missing: position.missing(performance.now()), since };
    const page = await executor.query(() => readChanges(context, range));
    position.advance(page.numbers, performance.now());
    unread = page.isFull;
    if (!stopped) deliver(page.hints);
    return page.numbers.length > 0;
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
