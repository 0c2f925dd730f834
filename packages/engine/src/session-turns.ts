/** Queues by session inside one process; empty as long as nobody loses a race. */
export interface SessionTurns {
  /** Whether somebody has or waits for a turn on any of these sessions. */
  isQueued(sessionRows: readonly string[]): boolean;
  /** Waits for the turn on all of them; the returned function ends it. Whoever has a turn must not wait for another. */
  take(sessionRows: readonly string[]): Promise<() => void>;
}

/**
 * Optimistic commits to one busy session, such as the ends of many children, defeat each other: of many that read and
 * decide at once one wins. Whoever has lost a few times queues here, and whoever comes after it does too.
 */
export function createSessionTurns(): SessionTurns {
  const last = new Map<string, Promise<void>>();

  async function takeOne(row: string): Promise<() => void> {
    const before = last.get(row);
    const turn = Promise.withResolvers<void>();
    last.set(row, turn.promise);
    await before;
    return () => {
      turn.resolve();
      if (last.get(row) === turn.promise) last.delete(row);
    };
  }

  return {
    isQueued: (sessionRows) => sessionRows.some((row) => last.has(row)),
    async take(sessionRows) {
      const ends: (() => void)[] = [];
      // In one order, so that two that want the same sessions never wait for each other.
      for (const row of [...new Set(sessionRows)].sort()) ends.push(await takeOne(row));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
