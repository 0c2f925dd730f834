import type { SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

/** Makes one session a watcher of another, starting at the target's current version; an existing watch is kept. */
export async function addWatch(
  engine: Engine,
  draft: TransactionDraft,
  watcher: SessionRecord,
  target: SessionRecord,
  explicit: boolean,
): Promise<void> {
  if (watcher.id === target.id) return;
  const [known] = await engine.store.read([
    { find: "watch", index: "pair", equals: [watcher.id, target.id], limit: 1 },
  ]);
  if (known.length > 0) return;
  const version = target.stateVersion;
  draft.session(target.id).when({ version: target.version }).add({ watchCount: 1 });
  draft.record({
    kind: "watch",
    insert: {
      id: newId(),
      watcherRow: watcher.id,
      targetRow: target.id,
      lastSeen: version,
      notified: version,
      material: version,
      isOpen: 0,
      explicit: explicit ? 1 : 0,
    },
  });
}
