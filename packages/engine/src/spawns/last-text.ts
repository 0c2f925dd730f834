import { type RunRecord, textOf } from "@trunkline/core";
import type { Engine } from "../engine.ts";

const rowsAtMost = 50;

/** The last text that a run has stored of itself: what is left of one that was cut off, whichever process it worked in. */
export async function lastStoredText(engine: Engine, run: RunRecord): Promise<string | null> {
  if (run.startSeq === null) return null;
  const [rows] = await engine.store.read([
    {
      find: "message",
      index: "seq",
      equals: [run.sessionRow],
      from: run.startSeq,
      descending: true,
      limit: rowsAtMost,
    },
  ]);
  const last = rows.find(({ runId, role, class: shown, body }) => {
    return runId === run.id && role === "assistant" && shown === 0 && textOf(body.content).trim() !== "";
  });
  return last ? textOf(last.body.content) : null;
}
