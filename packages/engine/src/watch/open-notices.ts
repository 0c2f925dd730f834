import type { SessionRecord, WatchRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { TransactionDraft } from "../transaction-draft.ts";
import { noticeRow, noticeText } from "./notice.ts";

const noticesAtOnce = 20;

/** A notice that a session's next turn is shown. */
export interface OpenNotice {
  readonly watchId: string;
  /** The last notifying version of the target that the turn can have read of. */
  readonly through: number;
  readonly text: string;
  /** The key of the entry in the watcher's transcript. */
  readonly dedupeKey: string;
}

/** Reads the watches of a session that have something to tell; goes with the other reads of the caller's decision. */
export function openWatchesOf(sessionRow: string) {
  return { find: "watch", index: "open", equals: [sessionRow, 1], limit: noticesAtOnce } as const;
}

/**
 * Puts the session's open notices into its transcript where they are not there yet, and returns all of them. Called in
 * the commit that brings the input of the next turn, so that they stand before it, and again when that turn starts.
 */
export async function placeNotices(
  engine: Engine,
  draft: TransactionDraft,
  session: SessionRecord,
  watches: readonly WatchRecord[],
  from: "outside" | "run",
): Promise<readonly OpenNotice[]> {
  if (watches.length === 0) return [];
  const targets = await engine.store.read(
    watches.map(({ targetRow }) => ({ get: "session", key: targetRow }) as const),
  );
  const notices = watches.flatMap((watch, index) => {
    const target = targets[index];
    return target ? [{ watch, text: noticeText(watch, target), row: noticeRow(watch, target, session) }] : [];
  });
  const known = await engine.store.read(
    notices.map(
      ({ row }) => ({ find: "message", index: "dedupe", equals: [session.id, row.dedupeKey], limit: 1 }) as const,
    ),
  );
  const messages = notices.filter((_, index) => known[index]?.length === 0).map(({ row }) => row);
  draft.session(session.id).append({ from, messages });
  return notices.map(({ watch, text, row }) => ({
    watchId: watch.id,
    through: watch.material,
    text,
    dedupeKey: row.dedupeKey,
  }));
}

/** Tells listeners which watchers a change of the target opens a notice for; the store opens them by itself. */
export async function tellOpened(
  engine: Engine,
  draft: TransactionDraft,
  target: SessionRecord,
  actorRow?: string,
): Promise<void> {
  if (target.watchCount === 0) return;
  const [watches] = await engine.store.read([{ find: "watch", index: "target", equals: [target.id], limit: 1000 }]);
  const closed = watches.filter((watch) => watch.isOpen === 0 && watch.watcherRow !== actorRow);
  const watchers = await engine.store.read(
    closed.map(({ watcherRow }) => ({ get: "session", key: watcherRow }) as const),
  );
  for (const watcher of watchers) {
    if (watcher && watcher.deletedAt === null) tellNotice(engine, draft, watcher, target);
  }
}

/** Tells listeners of one notice that opened. */
export function tellNotice(
  engine: Engine,
  draft: TransactionDraft,
  watcher: SessionRecord,
  target: SessionRecord,
): void {
  draft.event({
    type: "notice_opened",
    at: engine.clock.now(),
    sessionKey: watcher.sessionKey,
    agentId: watcher.agentId,
    targetSessionKey: target.sessionKey,
    ...(watcher.label === null ? {} : { label: watcher.label }),
  });
}
