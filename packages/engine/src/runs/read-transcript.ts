import type { MessageRecord, RunMessage } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { StartedRun } from "./start-run.ts";
import { toRunMessage } from "./to-run-message.ts";

const pageSize = 1000;

/**
 * The transcript before a run's input, raw, oldest first; after a compaction its summary and what it did not cover.
 * Read backwards, so that a long transcript costs only what is still needed of it.
 */
export async function readTranscript(engine: Engine, started: StartedRun): Promise<readonly RunMessage[]> {
  const { run, session } = started;
  const own = new Set(run.inputIds);
  const notices = new Set<string | null>(started.notices.map(({ dedupeKey }) => dedupeKey));
  const isOther = (row: MessageRecord) =>
    row.provenance?.kind !== "compaction" && !own.has(row.id) && row.runId !== run.id && !notices.has(row.dedupeKey);
  const pages: (readonly RunMessage[])[] = [];
  let summary: MessageRecord | undefined;
  let beyondSeq: number | undefined;
  for (let more = true; more; ) {
    const page = await engine.store.readMessages({
      sessionRow: session.id,
      firstSeq: session.firstSeq,
      classes: [0, 1, 2],
      from: "newest",
      limit: pageSize,
      withoutPending: true,
      ...(beyondSeq === undefined ? {} : { beyondSeq }),
    });
    pages.unshift(page.messages.filter(isOther).map(toRunMessage));
    summary ??= page.messages.findLast((row) => row.provenance?.kind === "compaction");
    const first = page.messages[0]?.seq ?? 0;
    more = page.more && first > coveredThrough(summary);
    beyondSeq = first;
    // Nothing else should have to wait until a long transcript is read.
    if (more) await new Promise(setImmediate);
  }
  const covered = coveredThrough(summary);
  const messages = pages.flat().filter(({ seq }) => seq > covered);
  return summary ? [toRunMessage(summary), ...messages] : messages;
}

function coveredThrough(summary: MessageRecord | undefined): number {
  return Number(summary?.provenance?.detail ?? 0);
}
