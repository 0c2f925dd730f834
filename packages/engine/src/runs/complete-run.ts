import { cleanText, type NewMessageRow, type RunRecord, type SessionRecord, type YieldRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import type { TrunklineEvent } from "../events/trunkline-event.ts";
import { reachedBy } from "../fault-points.ts";
import { flipInlineAnswers } from "../flows/flip-inline-answers.ts";
import { followFlow } from "../flows/follow-flow.ts";
import { deliverReply } from "../outbox/deliver-reply.ts";
import { continueAfterGuest, followChildRun } from "../spawns/follow-child-run.ts";
import { releaseHeldChildren } from "../spawns/release-held-children.ts";
import { createDraft } from "../transaction-draft.ts";
import { advanceNotices } from "../watch/advance-notices.ts";
import { planYield } from "../yields/plan-yield.ts";
import { cascadeLater } from "./cascade.ts";
import type { Closing, Ending } from "./closing.ts";
import { type ClosingRows, type RunName, readClosing } from "./read-closing.ts";
import { tellEnd } from "./run-ends.ts";
import { isActive, isEnded, outcomeOf } from "./run-states.ts";
import { isSilence } from "./silence.ts";
import { mergeSteered } from "./steer.ts";
import { usageWrite } from "./usage.ts";

/**
 * Ends a run and queues all that follows from it, in one transaction. `false` when the run had ended before or belongs
 * to another fence: then nothing is written and what the runner said is discarded.
 */
export async function completeRun(engine: Engine, name: RunName, ending: Ending): Promise<boolean> {
  const ended = await decide(engine, () => planCompletion(engine, name, ending));
  if (!ended) return false;
  for (const point of reachedBy(ended.events)) engine.faultPoint(point);
  if (isEnded(ended.run) && ended.run.state !== "yielded") tellEnd(engine, ended.run);
  return true;
}

interface Completion {
  /** Told with the commit. */
  readonly events: readonly TrunklineEvent[];
  /** The run as it is afterwards. */
  readonly run: RunRecord;
}

/** Answers `false` when the run had ended before. */
async function planCompletion(engine: Engine, name: RunName, ending: Ending): Promise<Plan<Completion | false>> {
  const rows = await readClosing(engine, name);
  if (!rows || rows.run.fence !== name.fence) return { answer: false };
  const { run } = rows;
  const waiting = isEnded(run) ? await waitingYield(engine, run, ending) : undefined;
  if (isEnded(run) && !waiting) return { answer: false };
  const closing = open(engine, rows, ending);
  if (waiting) cancelYield(closing, waiting);
  const set = writeEnd(closing);
  if (closing.yielded) {
    await continueAfterGuest(closing, planYield(closing));
  } else {
    const held = releaseHeldChildren(closing);
    await followFlow(closing);
    await followChildRun(closing, held);
    await continueAfterGuest(closing, []);
    deliverReply(closing);
  }
  await mergeSteered(closing);
  await flipInlineAnswers(closing);
  await cascadeLater(closing);
  await advanceNotices(closing);
  return { commit: closing.draft, answer: { events: closing.draft.events, run: { ...run, ...set } } };
}

// A run that yielded can still be cancelled or run out of time while it waits for its children.
async function waitingYield(engine: Engine, run: RunRecord, ending: Ending): Promise<YieldRecord | undefined> {
  if (run.state !== "yielded" || ending.state === "ok") return undefined;
  const [yields] = await engine.store.read([{ find: "yield", index: "runId", equals: [run.id], limit: 1 }]);
  return yields.find(({ state }) => state === "waiting");
}

function open(engine: Engine, rows: ClosingRows, ending: Ending): Closing {
  const yielded = rows.run.yieldMarked === 1 && ending.state === "ok";
  const silent = ending.state !== "ok" || yielded || ending.text === null || isSilence(ending.text);
  return {
    ...rows,
    engine,
    draft: createDraft(),
    now: engine.clock.now(),
    ending,
    outcome: outcomeOf(ending.state),
    yielded,
    spoken: silent ? null : ending.text,
  };
}

/** Writes the end itself, and returns what it changes of the run. */
function writeEnd(closing: Closing): Partial<RunRecord> {
  const { draft, run, session, ending, now, yielded } = closing;
  const active = isActive(run);
  const reference = { id: run.id, fence: run.fence };
  const seqs = sequenceNumbers(session, ending.rows);
  const target = draft.session(session.id).when({ familyVersion: session.familyVersion });
  // Whoever cuts a run off does not know what it stores at this moment: all of that has to lie before its end.
  if (active && ending.state !== "ok" && ending.state !== "error") target.when({ version: session.version });
  if (active) target.free(reference);
  else if (run.state === "queued") target.add({ queuedRuns: -1 });
  target
    .append({ from: "run", messages: ending.rows })
    .set({ updatedAt: now, ...(yielded ? {} : { abortedLastRun: ending.state === "ok" ? 0 : 1 }) });
  if (ending.usage) {
    target
      .add({
        inputTokens: ending.usage.inputTokens ?? 0,
        outputTokens: ending.usage.outputTokens ?? 0,
        totalTokens: ending.usage.totalTokens ?? (ending.usage.inputTokens ?? 0) + (ending.usage.outputTokens ?? 0),
      })
      .set({ contextTokens: ending.usage.inputTokens ?? session.contextTokens });
    draft.record(usageWrite(closing, ending.usage));
  }
  if (!yielded) {
    target.log({
      kind: ending.state === "ok" ? "run_completed" : "run_failed",
      actorKind: "agent",
      actorId: session.agentId,
      data: { outcome: closing.outcome },
    });
  }
  const set: Partial<RunRecord> = {
    state: yielded ? "yielded" : ending.state,
    outcome: closing.outcome,
    claimableAt: null,
    deadlineAt: null,
    owner: null,
    replyText: closing.spoken === null ? null : cleanText(closing.spoken),
    replySeq: closing.spoken === null ? null : seqs.reply,
    ...(active ? { endSeq: seqs.end } : {}),
    errorCode: ending.code ?? null,
    error: ending.error === undefined ? null : cleanText(ending.error),
    endedAt: now,
    ...(ending.usage ? { usage: ending.usage } : {}),
    ...(ending.model === undefined ? {} : { model: ending.model }),
    ...(active ? {} : { fence: run.fence + 1 }),
  };
  draft.record({
    kind: "run",
    key: run.id,
    when: { state: { anyOf: [run.state] }, fence: run.fence, slotLent: run.slotLent },
    set,
  });
  if (active && run.lane === "subagent" && run.slotLent === 0) draft.counter({ scope: "lane:subagent", by: -1 });
  draft.hint({ about: "run", id: run.id });
  draft.event({
    type: "run_ended",
    at: now,
    sessionKey: session.sessionKey,
    runId: run.id,
    agentId: session.agentId,
    kind: run.kind,
    state: yielded ? "yielded" : ending.state,
    outcome: closing.outcome,
    ...(session.label === null ? {} : { label: session.label }),
    ...(run.startedAt === null ? {} : { durationMs: now - run.startedAt }),
    ...(closing.spoken === null ? {} : { text: closing.spoken }),
    ...(ending.error === undefined ? {} : { error: ending.error }),
  });
  return set;
}

function cancelYield({ draft, session }: Closing, waiting: YieldRecord): void {
  draft.session(session.id).add({ openYields: -1 });
  draft.record({ kind: "yield", key: waiting.id, when: { state: "waiting" }, set: { state: "cancelled" } });
}

// The lane is this run's own until the commit, so its rows take exactly the numbers after the last one.
function sequenceNumbers(session: SessionRecord, rows: readonly NewMessageRow[]) {
  const lastAssistant = rows.findLastIndex((row) => row.role === "assistant" && row.class === 0);
  return {
    reply: lastAssistant < 0 ? session.lastSeq : session.lastSeq + lastAssistant + 1,
    end: session.lastSeq + rows.length,
  };
}
