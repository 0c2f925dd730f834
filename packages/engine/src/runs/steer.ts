import { firstParkedSeq, textOf } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { Closing } from "./closing.ts";
import type { LiveRun } from "./live-run.ts";

/**
 * Hands the texts that arrived mid-run to a runner that steers. Their queued runs are merged only when the live run
 * ends well: if it dies, the texts run as ordinary follow-ups.
 */
export async function takeSteered(engine: Engine, live: LiveRun): Promise<readonly string[]> {
  const [queued] = await engine.store.read([
    { find: "run", index: "sessionState", equals: [live.run.sessionRow, "queued"], limit: 100 },
  ]);
  const texts: string[] = [];
  for (const run of queued) {
    if (live.steered.some(({ id }) => id === run.id)) continue;
    if (run.mode !== "steer") break;
    const rows = await engine.store.read(run.inputIds.map((id) => ({ get: "message", key: id }) as const));
    live.steered.push(run);
    texts.push(rows.flatMap((row) => (row ? [textOf(row.body.content)] : [])).join("\n\n"));
  }
  if (texts.length > 0) engine.faultPoint("steer.accepted");
  return texts;
}

/** Ends the queued runs whose texts the ending run has answered; their waiters follow it. */
export async function mergeSteered(closing: Closing): Promise<void> {
  const { engine, draft, run, session, ending, now } = closing;
  const steered = engine.live.get(run.id)?.steered ?? [];
  if (steered.length === 0 || ending.state !== "ok") return;
  const current = await engine.store.read(steered.map(({ id }) => ({ get: "run", key: id }) as const));
  const queued = current.flatMap((candidate) => (candidate?.state === "queued" ? [candidate] : []));
  if (queued.length === 0) return;
  const ids = queued.flatMap(({ inputIds }) => inputIds);
  const rows = await engine.store.read(ids.map((id) => ({ get: "message", key: id }) as const));
  const parked = rows.flatMap((row) => (row && row.seq >= firstParkedSeq ? [row.id] : []));
  const target = draft.session(session.id).add({ queuedRuns: -queued.length });
  if (parked.length > 0) target.unpark({ ids: parked });
  for (const merged of queued) {
    draft.record({
      kind: "run",
      key: merged.id,
      when: { state: "queued", fence: merged.fence },
      set: { state: "merged", outcome: "success", successorId: run.id, claimableAt: null, endedAt: now },
    });
    draft.hint({ about: "run", id: merged.id });
  }
}
