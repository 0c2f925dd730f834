import type { MessageRecord, NewMessageRow, RunRecord, SessionRecord, WatchRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";
import { noticeRow, noticeText } from "../watch/notice.ts";

export interface StartedRun {
  readonly run: RunRecord;
  readonly session: SessionRecord;
  /** The messages that are the run's input, in order, after the notices that it is shown. */
  readonly inputs: readonly MessageRecord[];
  readonly notices: readonly { readonly watchId: string; readonly through: number; readonly text: string }[];
}

/**
 * The commit just before the runner is called: parked rows up to the run's input take their place, the time limit
 * begins. `undefined` when the claim was lost.
 */
export async function startRun(engine: Engine, claimed: RunRecord): Promise<StartedRun | undefined> {
  const started = await decide<StartedRun | undefined>(engine, async () => {
    const [run, session, spawn, watches] = await engine.store.read([
      { get: "run", key: claimed.id },
      { get: "session", key: claimed.sessionRow },
      { get: "spawn", key: claimed.spawnId ?? "" },
      { find: "watch", index: "open", equals: [claimed.sessionRow, 1], limit: 20 },
    ]);
    if (run?.state !== "claimed" || run.fence !== claimed.fence || !session) return { answer: undefined };
    const now = engine.clock.now();
    const draft = createDraft();
    const reference = { id: run.id, fence: run.fence };
    const target = draft.session(session.id).when({ activeRun: reference });
    if (session.pendingRows > 0) target.unpark({ through: run.inputThrough });
    const notices = await showNotices(engine, draft, session, watches);
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
    const set = { state: "running" as const, startedAt: now, deadlineAt, startSeq: session.lastSeq };
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
    return { commit: draft, answer: { run: { ...run, ...set }, session, inputs: [], notices } };
  });
  if (!started) return undefined;
  engine.faultPoint("start.after-commit");
  return { ...started, inputs: await readInputs(engine, started.run) };
}

function deadlineOf(run: RunRecord, now: number): number | null {
  return run.limitMs === null ? null : now + run.limitMs;
}

// The clock of a child starts with its first run and goes on through yields and continuations.
function spawnDeadlineAt(run: RunRecord, known: number | null, now: number): number | null {
  return known ?? (run.kind === "child" ? deadlineOf(run, now) : null);
}

async function readInputs(engine: Engine, run: RunRecord): Promise<readonly MessageRecord[]> {
  const rows = await engine.store.read(run.inputIds.map((id) => ({ get: "message", key: id }) as const));
  return rows.filter((row) => row !== undefined);
}

async function showNotices(
  engine: Engine,
  draft: TransactionDraft,
  session: SessionRecord,
  watches: readonly WatchRecord[],
) {
  if (watches.length === 0) return [];
  const targets = await engine.store.read(
    watches.map(({ targetRow }) => ({ get: "session", key: targetRow }) as const),
  );
  const notices = watches.flatMap((watch, index) => {
    const target = targets[index];
    return target ? [{ watch, row: noticeRow(watch, target), text: noticeText(watch, target) }] : [];
  });
  const known = await engine.store.read(
    notices.map(
      ({ row }) => ({ find: "message", index: "dedupe", equals: [session.id, row.dedupeKey], limit: 1 }) as const,
    ),
  );
  const fresh: NewMessageRow[] = notices.filter((_, index) => known[index]?.length === 0).map(({ row }) => row);
  draft.session(session.id).append({ from: "run", messages: fresh });
  return notices.map(({ watch, text }) => ({ watchId: watch.id, through: watch.notified, text }));
}
