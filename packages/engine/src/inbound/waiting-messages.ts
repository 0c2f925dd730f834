import type { RunRecord, SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { routeHash } from "../outbox/new-delivery.ts";
import { joinedInput, mergeRuns } from "../runs/merge-runs.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

const queueAtOnce = 1000;

/** The messages that wait behind a `collect` run, of the same origin and with nothing of another in between. */
export async function collectedWith(engine: Engine, run: RunRecord): Promise<readonly RunRecord[]> {
  if (run.mode !== "collect") return [];
  const behind = (await queueOf(engine, run.sessionRow)).filter(({ id }) => id !== run.id);
  const end = behind.findIndex((candidate) => candidate.mode !== "collect" || !isSameOrigin(run, candidate));
  return end < 0 ? behind : behind.slice(0, end);
}

/**
 * Whether the turn of messages that arrived mid-run must still wait for `messages.queue.debounceMs` without a further one;
 * the dispatcher is then woken when that time is over.
 */
export async function isCollecting(engine: Engine, run: RunRecord): Promise<boolean> {
  const { debounceMs } = engine.config.messages.queue;
  // A message that found its session at rest was never parked, and has nothing to wait for.
  if (run.mode !== "collect" || run.inputThrough === 0 || debounceMs === 0) return false;
  const last = (await collectedWith(engine, run)).at(-1) ?? run;
  const leftMs = last.createdAt + debounceMs - engine.clock.now();
  if (leftMs <= 0) return false;
  wakeLater(engine, last, leftMs);
  return true;
}

const alarms = new WeakMap<Engine, Set<string>>();

// One alarm for each last message, however often the dispatcher looks meanwhile.
function wakeLater(engine: Engine, last: RunRecord, leftMs: number): void {
  const set = alarms.get(engine) ?? new Set<string>();
  alarms.set(engine, set);
  if (set.has(last.id)) return;
  set.add(last.id);
  engine.clock.setTimer(leftMs, () => {
    set.delete(last.id);
    engine.wake();
  });
}

/** Keeps the messages that wait at `messages.queue.cap`: one more has the oldest two of one origin merged into one turn. */
export async function mergeOldest(
  engine: Engine,
  draft: TransactionDraft,
  session: SessionRecord,
  now: number,
): Promise<void> {
  const { cap } = engine.config.messages.queue;
  if (session.queuedRuns < cap) return;
  const queue = await queueOf(engine, session.id);
  if (queue.filter(isMessage).length < cap) return;
  const [oldest, next] = firstPair(queue);
  if (!oldest || !next) return;
  mergeRuns(draft, session, oldest, [next], now);
  draft.record({
    kind: "run",
    key: oldest.id,
    when: { state: "queued", fence: oldest.fence },
    set: joinedInput(oldest, [next]),
  });
}

function firstPair(queue: readonly RunRecord[]): readonly RunRecord[] {
  const index = queue.findIndex((run, position) => {
    const next = queue[position + 1];
    return next !== undefined && isMessage(run) && isMessage(next) && isSameOrigin(run, next);
  });
  return index < 0 ? [] : queue.slice(index, index + 2);
}

async function queueOf(engine: Engine, sessionRow: string): Promise<readonly RunRecord[]> {
  const [queued] = await engine.store.read([
    { find: "run", index: "sessionState", equals: [sessionRow, "queued"], limit: queueAtOnce },
  ]);
  return queued;
}

function isMessage({ kind }: RunRecord): boolean {
  return kind === "inbound";
}

function isSameOrigin(a: RunRecord, b: RunRecord): boolean {
  return originOf(a) === originOf(b);
}

function originOf({ replyRoute }: RunRecord): string | null {
  return replyRoute === null ? null : routeHash(replyRoute);
}
