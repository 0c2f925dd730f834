import type { MessagePage, MessageRecord, RunMessage } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { readTranscriptPage } from "./request-rows.ts";
import type { StartedRun } from "./start-run.ts";
import { toRunMessage } from "./to-run-message.ts";

/**
 * The transcript before a run's input, raw, oldest first; after a compaction its summary and what it did not cover.
 * Read backwards from its newest page, so that a long transcript costs only what is still needed of it.
 */
export async function readTranscript(
  engine: Engine,
  started: StartedRun,
  newest: MessagePage,
): Promise<readonly RunMessage[]> {
  const { run, session } = started;
  const own = new Set(run.inputIds);
  const notices = new Set<string | null>(started.notices.map(({ dedupeKey }) => dedupeKey));
  const isOther = (row: MessageRecord) =>
    row.provenance?.kind !== "compaction" && !own.has(row.id) && row.runId !== run.id && !notices.has(row.dedupeKey);
  const pages: (readonly RunMessage[])[] = [];
  let summary: MessageRecord | undefined;
  for (let page = newest; ; ) {
    pages.unshift(page.messages.filter(isOther).map(toRunMessage));
    summary ??= page.messages.findLast((row) => row.provenance?.kind === "compaction");
    const first = page.messages[0]?.seq ?? 0;
    if (!page.more || first <= coveredThrough(summary)) break;
    // Nothing else should have to wait until a long transcript is read.
    await new Promise(setImmediate);
    page = await readTranscriptPage(engine, session, first);
  }
  const covered = coveredThrough(summary);
  const messages = pages.flat().filter(({ seq }) => seq > covered);
  return summary ? [toRunMessage(summary), ...messages] : messages;
}

function coveredThrough(summary: MessageRecord | undefined): number {
  return Number(summary?.provenance?.detail ?? 0);
}
