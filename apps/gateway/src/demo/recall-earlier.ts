import type { RunRecord } from "@trunkline/core";
import type { TrunklineEvent } from "@trunkline/engine";
import { coordinatorKey, editorKey } from "../runtime/demo-setup.ts";
import type { TimelineEntry } from "../timeline/timeline-entry.ts";
import type { AskedQuestion } from "./demo-records.ts";
import type { Narrator } from "./narrate-event.ts";

export interface Recall {
  readonly question: AskedQuestion;
  /** The question as it was asked. */
  readonly text: string;
  /** The row of the editor's session. */
  readonly editorRow: string | undefined;
  /** Learns from it what later events leave out. */
  readonly narrator: Narrator;
}

/** The lines of what earlier processes finished for a question, told by the same words as when it happens. */
export function recallEarlier({ question, text, editorRow, narrator }: Recall): readonly TimelineEntry[] {
  const asked: TrunklineEvent = {
    type: "run_queued",
    at: question.run.createdAt,
    sessionKey: coordinatorKey,
    runId: question.run.id,
    kind: "inbound",
    text,
  };
  const settled = question.readers.flatMap((spawn): readonly TrunklineEvent[] =>
    spawn.settledAt === null
      ? []
      : [
          {
            type: "child_settled",
            at: spawn.settledAt,
            sessionKey: coordinatorKey,
            ...(spawn.label === null ? {} : { label: spawn.label }),
            ...(spawn.outcome === null ? {} : { outcome: spawn.outcome }),
            ...(spawn.captured === null ? {} : { text: spawn.captured }),
          },
        ],
  );
  const queued = question.runs.flatMap((run) => queuedTurn(run, question));
  const ended = question.runs.flatMap((run) => endedEvent(run, editorRow));
  return [asked, ...settled, ...queued, ...ended]
    .toSorted((left, right) => left.at - right.at)
    .flatMap((event) => narrator.tell(event) ?? [])
    .map((entry) => ({ ...entry, earlier: true }));
}

function queuedTurn(run: RunRecord, { flows }: AskedQuestion): readonly TrunklineEvent[] {
  const flow = flows.find(({ id }) => id === run.flowId);
  if (run.kind !== "turn" || flow === undefined) return [];
  const turn = Number(run.cause.slice(run.cause.lastIndexOf(":") + 1));
  const { id, phase, maxTurns: of } = flow;
  const base = { type: "run_queued", at: run.createdAt, sessionKey: coordinatorKey, kind: "turn" } as const;
  return [{ ...base, runId: run.id, flow: { id, phase, turn, of } }];
}

function endedEvent(run: RunRecord, editorRow: string | undefined): readonly TrunklineEvent[] {
  if (run.endedAt === null) return [];
  return [
    {
      type: "run_ended",
      at: run.endedAt,
      sessionKey: run.sessionRow === editorRow ? editorKey : coordinatorKey,
      runId: run.id,
      kind: run.kind,
      state: run.state,
      ...(run.replyText === null ? {} : { text: run.replyText }),
    },
  ];
}
