import type { SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";

// The state log of a session that is made in the same commit holds its `created` event and nothing else.
const versionOfNew = 1;

/** What a watch is put on: a session, or one that the same commit makes. */
export type WatchTarget = SessionRecord | { readonly id: string; readonly created: true };

/** Makes one session a watcher of another, starting at the target's current version; an existing watch keeps its cursor. */
export async function addWatch(
  engine: Engine,
  draft: TransactionDraft,
  watcher: SessionRecord,
  target: WatchTarget,
  explicit: boolean,
): Promise<void> {
  if (watcher.id === target.id || (await isWatching(engine, watcher.id, target.id))) return;
  const version = "created" in target ? versionOfNew : target.stateVersion;
  const write = draft.session(target.id).add({ watchCount: 1 });
  if (!("created" in target)) write.when({ version: target.version });
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

/** Whether one session watches another. */
export async function isWatching(engine: Engine, watcherRow: string, targetRow: string): Promise<boolean> {
  const [known] = await engine.store.read([
    { find: "watch", index: "pair", equals: [watcherRow, targetRow], limit: 1 },
  ]);
  return known.length > 0;
}

/** Puts a watch on a living session in a commit of its own; whether the session is watched then. */
export async function watchSession(engine: Engine, watcher: SessionRecord, targetRow: string): Promise<boolean> {
  return decide(engine, async () => {
    const [target] = await engine.store.read([{ get: "session", key: targetRow }]);
    if (!target || target.deletedAt !== null || target.id === watcher.id) return { answer: false };
    if (await isWatching(engine, watcher.id, targetRow)) return { answer: true };
    const draft = createDraft();
    await addWatch(engine, draft, watcher, target, true);
    return { commit: draft, answer: true };
  });
}
