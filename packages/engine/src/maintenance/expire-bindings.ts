import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";

const batch = 100;

/** Forgets the threads that were opened for children which never came to be. */
export async function expireBindings(engine: Engine): Promise<void> {
  await decide<void>(engine, async () => {
    const now = engine.clock.now();
    const [stale] = await engine.store.read([
      { find: "binding", index: "expiry", equals: ["creating"], from: 0, below: now, limit: batch },
    ]);
    if (stale.length === 0) return { answer: undefined };
    const draft = createDraft();
    for (const { routeHash, owner } of stale) {
      draft.record({
        kind: "binding",
        key: routeHash,
        when: { state: "creating", owner },
        remove: true,
        optional: true,
      });
    }
    return { commit: draft, answer: undefined };
  });
}
