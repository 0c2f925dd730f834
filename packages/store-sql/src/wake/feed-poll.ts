import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { lastChange, readChanges } from "./changes-feed.ts";
import type { HintListener } from "./hint-listeners.ts";

/** How a database without push tells that other handles wrote. */
export interface PollSource {
  readonly everyMs: number;
  /** A cheap look at whether the feed may have grown since the last call. */
  hasNews(): boolean;
}

/** Reads other handles' hints from the feed until the returned function is called. A failed look is taken again. */
export function pollFeed(
  context: SqlContext,
  executor: SqlExecutor,
  source: PollSource,
  deliver: HintListener,
): () => void {
  let stopped = false;
  let after: number | undefined;
  let unread = true;
  let timer: NodeJS.Timeout | undefined;

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
  }

  async function tick(): Promise<void> {
    await look().catch(() => undefined);
    if (!stopped) timer = setTimeout(tick, source.everyMs).unref();
  }

  void tick();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
