import type { Closing } from "../runs/closing.ts";

/** Moves the cursors of the notices that this run was shown; whatever happened since opens exactly one new notice. */
export async function advanceNotices(closing: Closing): Promise<void> {
  const { engine, draft, run, ending } = closing;
  const taken = engine.live.get(run.id)?.notices ?? [];
  if (taken.length === 0 || ending.state === "interrupted") return;
  const watches = await engine.store.read(taken.map(({ watchId }) => ({ get: "watch", key: watchId }) as const));
  for (const [index, { watchId, through }] of taken.entries()) {
    const watch = watches[index];
    if (!watch || watch.lastSeen >= through) continue;
    const notified = Math.max(watch.material, through);
    draft.record({
      kind: "watch",
      key: watchId,
      when: { lastSeen: watch.lastSeen, material: watch.material },
      set: {
        lastSeen: through,
        notified,
        material: Math.max(watch.material, through),
        isOpen: notified > through ? 1 : 0,
      },
    });
  }
}
