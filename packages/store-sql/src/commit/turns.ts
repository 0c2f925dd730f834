/** Work on the same things, one after another in the order of asking; work on different things does not wait. */
export interface Turns {
  take<T>(names: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Resolves when all work that was taken before is done. */
  ended(): Promise<void>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(names, work) {
      const earlier = names.flatMap((name) => last.get(name) ?? []);
      const result = earlier.length === 0 ? work() : Promise.allSettled(earlier).then(work);
      for (const name of names) last.set(name, result);
      const leave = () => {
        for (const name of names) if (last.get(name) === result) last.delete(name);
      };
      result.then(leave, leave);
      return result;
    },
    async ended() {
      await Promise.allSettled(last.values());
    },
  };
}
