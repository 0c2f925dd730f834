import type { MessageHit, MessageSearch, SessionWrite } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import type { Steps, Written } from "../statement.ts";
import { searchMessagesSteps } from "./search-messages.ts";

const quietMs = 1000;
/** Under a stream of commits that never pauses, in milliseconds. */
const patienceMs = 30_000;

/**
 * Full text search. Rows enter the index in small batches, when commits have paused and at the latest before a search,
 * so that appending does not pay for it and a search still sees every committed message.
 */
export interface Search {
  messages(query: MessageSearch): Promise<readonly MessageHit[]>;
  noteCommit(writes: readonly SessionWrite[]): void;
  close(): void;
}

export interface SearchOptions {
  /** False inside a transaction of the caller, which would hold the waiting messages of all until its end. */
  readonly addsMessages: boolean;
}

export function createSearch(context: SqlContext, executor: SqlExecutor, { addsMessages }: SearchOptions): Search {
  let timer: NodeJS.Timeout | undefined;
  let lastCommitAt = 0;
  let closed = false;

  const { messageIndex } = context;

  async function catchUp(): Promise<void> {
    while (!closed && (await executor.query(() => messageIndex.hasPending()))) {
      await executor.write(addBatch);
      await new Promise(setImmediate);
    }
  }

  function* addBatch(): Steps<Written<undefined>> {
    yield* messageIndex.addPending();
    return { keep: true, value: undefined };
  }

  function schedule(delayMs: number, since: number): void {
    timer = setTimeout(() => {
      const now = performance.now();
      const quietAt = Math.min(lastCommitAt + quietMs, since + patienceMs);
      if (now < quietAt) return schedule(quietAt - now, since);
      timer = undefined;
      // A search adds what this misses, and reports what keeps failing.
      void catchUp().catch(() => undefined);
    }, delayMs).unref();
  }

  return {
    async messages(query) {
      if (addsMessages) await catchUp();
      return await executor.snapshot(() => searchMessagesSteps(context, query));
    },
    noteCommit(writes) {
      if (!addsMessages) return;
      if (!writes.some((write) => write.append !== undefined || write.copy !== undefined)) return;
      lastCommitAt = performance.now();
      if (timer === undefined) schedule(quietMs, lastCommitAt);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
