import type { Closing } from "../runs/closing.ts";
import { tellNotice } from "./open-notices.ts";

/** Moves the cursors of the notices that this run was shown; whatever happened since opens exactly one new notice. */
export async function advanceNotices(closing: Closing): Promise<void> {
  const { engine, draft, run, session, ending } = closing;
  const taken = engine.live.get(run.id)?.notices ?? [];
  if (taken.length === 0 || ending.state === "interrupted") return;
  const watches = await engine.store.read(taken.map(({ watchId }) => ({ get: "watch", key: watchId }) as const));
  for (const [index, { watchId, through }] of taken.entries()) {
    const watch = watches[index];
    if (!watch || watch.lastSeen >= through) continue;
    const more = watch.material > through;
    draft.record({
      kind: "watch",
      key: watchId,
      when: { lastSeen: watch.lastSeen, material: watch.material },
      set: { lastSeen: through, notified: watch.material, isOpen: more ? 1 : 0 },
    });
    if (!more) continue;
    const [target] = await engine.store.read([{ get: "session", key: watch.targetRow }]);
    if (target) tellNotice(engine, draft, session, target);
  }
}
