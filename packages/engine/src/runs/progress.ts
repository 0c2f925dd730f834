import { type NewMessage, type NewMessageRow, type RunEmit, textOf } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { createDraft } from "../transaction-draft.ts";
import type { LiveRun } from "./live-run.ts";
import { toRow } from "./message-rows.ts";

/** Takes in what a runner reports: shown live, and stored at once, in order, under the run's fence. */
export function takeProgress(engine: Engine, live: LiveRun, emitted: NewMessage[], event: RunEmit): void {
  if (engine.live.get(live.run.id) !== live) return;
  if (event.type === "compacted") {
    const row = summaryRow(live, event.summary, event.throughSeq);
    queue(engine, live, row, true);
    return;
  }
  const text = event.type === "text" ? event.text : textOf(event.message.content);
  engine.events.emit({
    type: "run_output",
    at: engine.clock.now(),
    sessionKey: live.session.sessionKey,
    runId: live.run.id,
    agentId: live.session.agentId,
    text,
  });
  if (event.type === "text") return;
  emitted.push(event.message);
  if (event.message.role === "assistant" && text.trim() !== "") live.lastText = text;
  queue(engine, live, toRow(event.message, live.run.id), false);
}

/** The entry that stands for the transcript up to a sequence number in the session's next runs. */
function summaryRow(live: LiveRun, summary: string, throughSeq: number): NewMessageRow {
  return {
    id: newId(),
    role: "system",
    class: 0,
    runId: live.run.id,
    body: { content: `Summary of the conversation so far:\n${summary}` },
    provenance: { kind: "compaction", detail: String(throughSeq) },
  };
}

function queue(engine: Engine, live: LiveRun, row: NewMessageRow, compacts: boolean): void {
  live.progress = live.progress.then(() => store(engine, live, row, compacts));
  // The run's own await of `progress` reports a failure; this only keeps it from being called unhandled meanwhile.
  live.progress.catch((error: unknown) =>
    engine.logger.warn({ err: error, runId: live.run.id }, "progress was not stored"),
  );
}

async function store(engine: Engine, { run }: LiveRun, row: NewMessageRow, compacts: boolean): Promise<void> {
  await decide<void>(engine, async () => {
    const [session] = await engine.store.read([{ get: "session", key: run.sessionRow }]);
    if (session?.activeRunId !== run.id || session.activeFence !== run.fence) return { answer: undefined };
    const draft = createDraft();
    const write = draft
      .session(run.sessionRow)
      .when({ activeRun: { id: run.id, fence: run.fence } })
      .set({ updatedAt: engine.clock.now() })
      .append({ from: "run", messages: [row] });
    if (compacts) write.log({ kind: "compacted", actorKind: "agent", actorId: session.agentId, data: {} });
    return { commit: draft, answer: undefined };
  });
  engine.faultPoint("progress.after-commit");
}
