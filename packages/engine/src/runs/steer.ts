import { firstParkedSeq, type RunRecord, textOf } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";
import type { Closing } from "./closing.ts";
import type { LiveRun } from "./live-run.ts";
import { mergeRuns } from "./merge-runs.ts";

/**
 * Hands the texts that arrived mid-run to a runner that steers, and gives their rows their place in the live turn. Their
 * queued runs are merged only when the live run ends well: if it dies, the texts run as ordinary follow-ups.
 */
export async function takeSteered(engine: Engine, live: LiveRun): Promise<readonly string[]> {
  // What the runner has emitted before comes before.
  await live.progress;
  const taken = await decide<readonly Steered[]>(engine, () => plan(engine, live));
  if (taken.length === 0) return [];
  live.steered.push(...taken.map(({ run }) => run));
  engine.faultPoint("steer.accepted");
  return taken.map(({ text }) => text);
}

interface Steered {
  readonly run: RunRecord;
  readonly text: string;
}

async function plan(engine: Engine, live: LiveRun): Promise<Plan<readonly Steered[]>> {
  const { id, fence, sessionRow } = live.run;
  const [session, queued] = await engine.store.read([
    { get: "session", key: sessionRow },
    { find: "run", index: "sessionState", equals: [sessionRow, "queued"], limit: 100 },
  ]);
  if (session?.activeRunId !== id || session.activeFence !== fence) return { answer: [] };
  const waiting = queued.filter((run) => !live.steered.some((known) => known.id === run.id));
  const end = waiting.findIndex(({ mode }) => mode !== "steer");
  const steered = end < 0 ? waiting : waiting.slice(0, end);
  if (steered.length === 0) return { answer: [] };
  const inputs = steered.flatMap(({ inputIds }) => inputIds);
  const rows = await engine.store.read(inputs.map((key) => ({ get: "message", key }) as const));
  const found = rows.filter((row) => row !== undefined);
  const draft = createDraft();
  draft
    .session(sessionRow)
    .when({ activeRun: { id, fence } })
    .unpark({ ids: found.filter(({ seq }) => seq >= firstParkedSeq).map((row) => row.id) });
  const texts = new Map(found.map((row) => [row.id, textOf(row.body.content)]));
  const answer = steered.map((run) => ({
    run,
    text: run.inputIds.flatMap((key) => texts.get(key) ?? []).join("\n\n"),
  }));
  return { commit: draft, answer };
}

/** Ends the queued runs whose texts the ending run has answered; their waiters follow it. */
export async function mergeSteered(closing: Closing): Promise<void> {
  const { engine, draft, run, session, ending, now } = closing;
  const steered = engine.live.get(run.id)?.steered ?? [];
  if (steered.length === 0 || ending.state !== "ok") return;
  const current = await engine.store.read(steered.map(({ id }) => ({ get: "run", key: id }) as const));
  const queued = current.flatMap((candidate) => (candidate?.state === "queued" ? [candidate] : []));
  mergeRuns(draft, session, run, queued, now);
}
