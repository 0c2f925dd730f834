import type { NewMessageRow, SessionRecord, WatchRecord } from "@trunkline/core";
import { newId } from "../identifiers.ts";

/** The one entry that tells a watcher of a change: it names the target and where to read from, never what was said. */
export function noticeRow(
  watch: WatchRecord,
  target: SessionRecord,
  watcher: SessionRecord,
): NewMessageRow & { readonly dedupeKey: string } {
  return {
    id: newId(),
    role: "system",
    class: 0,
    body: { content: noticeText(watch, target) },
    provenance: { kind: "notice", sourceSessionKey: target.sessionKey },
    // Once in each incarnation of the watcher: a reset takes the entry away, and the notice is still open.
    dedupeKey: `notice:${watch.targetRow}:${watch.lastSeen}:${watcher.sessionId}`,
  };
}

/** A notice's text, the same however often it is shown. */
export function noticeText(watch: WatchRecord, target: SessionRecord): string {
  return `The watched session ${target.sessionKey} has changed. Read what happened with session_status, sessionKey "${target.sessionKey}", changesSince: ${watch.lastSeen}.`;
}
