import type { TimelineEntry } from "./timeline-entry.ts";

/** The JSON line of a step; `startedAt` (epoch ms) is where `atMs` counts from. */
export function entryToJson(entry: TimelineEntry, startedAt: number): string {
  const { type, at, who, verb, text, sessionKey, runId, tookMs, earlier } = entry;
  return JSON.stringify({
    v: 1,
    type,
    atMs: at - startedAt,
    at: new Date(at).toISOString(),
    who,
    verb,
    sessionKey,
    ...(runId === undefined ? {} : { runId }),
    text,
    ...(tookMs === undefined ? {} : { tookMs }),
    ...(earlier === undefined ? {} : { earlier }),
  });
}
