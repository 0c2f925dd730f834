import type { RunRecord, SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { collectedWith } from "../inbound/waiting-messages.ts";
import { createDraft } from "../transaction-draft.ts";
import { type OpenNotice, openWatchesOf, placeNotices } from "../watch/open-notices.ts";
import { joinedInput, mergeRuns } from "./merge-runs.ts";
import { patiently } from "./patiently.ts";
import { type RequestRows, readRequestRows } from "./request-rows.ts";

export interface StartedRun {
  readonly run: RunRecord;
  readonly session: SessionRecord;
  readonly notices: readonly OpenNotice[];
  /** What the request is built from, if it could be read while the start was being committed. */
  readonly ahead?: Promise<RequestRows | undefined>;
}

/**
 * The commit just before the runner is called: parked rows up to the run's input take their place, the time limit
 * begins. `undefined` when the claim was lost.
 */
export async function startRun(engine: Engine, claimed: RunRecord): Promise<StartedRun | undefined> {
  const options = { what: "the start of a run", isWanted: () => engine.isStarted() };
  const started = await patiently(engine, options, () => commitStart(engine, claimed));
  if (started) engine.faultPoint("start.after-commit");
  return started;
}

function commitStart(engine: Engine, claimed: RunRecord): Promise<StartedRun | undefined> {
  return decide<StartedRun | undefined>(engine, async () => {
    const [run, session, spawn, watches] = await engine.store.read([
      { get: "run", key: claimed.id },
      { get: "session", key: claimed.sessionRow },
      { get: "spawn", key: claimed.spawnId ?? "" },
      openWatchesOf(claimed.sessionRow),
    ]);
    if (run?.state !== "claimed" || run.fence !== claimed.fence || !session) return { answer: undefined };
    const now = engine.clock.now();
    const draft = createDraft();
    const reference = { id: run.id, fence: run.fence };
    const target = draft.session(session.id).when({ activeRun: reference });
    const collected = await collectedWith(engine, run);
    const input = joinedInput(run, collected);
    mergeRuns(draft, session, run, collected, now);
    if (session.pendingRows > 0) target.unpark({ through: input.inputThrough });
    // An announce step speaks for the session to its chat; a notice is for its next turn.
    const notices = isAnnounce(run) ? [] : await placeNotices(engine, draft, session, watches, "run");
    const spawnDeadline = spawn && run.kind !== "child_announce" ? spawnDeadlineAt(run, spawn.deadlineAt, now) : null;
    if (spawn && spawn.startedAt === null) {
      draft.record({
        kind: "spawn",
        key: spawn.id,
        set: { startedAt: now, deadlineAt: spawnDeadline },
        add: { version: 1 },
      });
    }
    const deadlineAt = spawn && run.kind !== "child_announce" ? spawnDeadline : deadlineOf(run, now);
    const set = { ...input, state: "running" as const, startedAt: now, deadlineAt, startSeq: session.lastSeq };
    draft.record({ kind: "run", key: run.id, when: { state: "claimed", fence: run.fence }, set });
    draft.session(session.id).set({ updatedAt: now, systemSent: 1 });
    draft.hint({ about: "run", id: run.id });
    draft.event({
      type: "run_started",
      at: now,
      sessionKey: session.sessionKey,
      runId: run.id,
      agentId: session.agentId,
      kind: run.kind,
      ...(session.label === null ? {} : { label: session.label }),
    });
    const started = { run: { ...run, ...set }, session, notices };
    if (collected.length > 0 || notices.length > 0 || session.pendingRows > 0)
      return { commit: draft, answer: started };
    // Where this fails the request reads again, and reports what fails then.
    const ahead = readRequestRows(engine, run, session).catch(() => undefined);
    // In a lane that is taken no row gets into the transcript but the run's own.
    return { commit: draft, answer: { ...started, ahead } };
  });
}

function isAnnounce({ kind }: RunRecord): boolean {
  return kind === "flow_announce" || kind === "child_announce";
}

function deadlineOf(run: RunRecord, now: number): number | null {
  return run.limitMs === null ? null : now + run.limitMs;
}

// The clock of a child starts with its first run and goes on through yields and continuations.
function spawnDeadlineAt(run: RunRecord, known: number | null, now: number): number | null {
  return known ?? (run.kind === "child" ? deadlineOf(run, now) : null);
}
