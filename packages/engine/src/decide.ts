import { type CommitResult, type CommittedSession, type StoreTransaction, TrunklineError } from "@trunkline/core";
import { bringsWork, queuedHeads } from "./dispatch/brings-work.ts";
import type { Engine } from "./engine.ts";
import { createSessionTurns, type SessionTurns } from "./session-turns.ts";
import type { TransactionDraft } from "./transaction-draft.ts";
import { wasCommitted } from "./was-committed.ts";

/** What a plan comes to: an answer without a write, or a transaction and the answer once it is committed. */
export type Plan<T> =
  | { readonly answer: T }
  | {
      readonly commit: TransactionDraft;
      readonly answer: T | ((sessions: ReadonlyMap<string, CommittedSession>) => T);
    };

const triesAtMost = 50;
const lossesAtMost = 2;
const turns = new WeakMap<Engine, SessionTurns>();

/**
 * Reads, decides and commits with guards; when a guard did not hold, another commit won, and it all starts again.
 * The only place that commits. Throws `store_contended` (retryable) after 50 tries.
 */
export async function decide<T>(engine: Engine, plan: (attempt: number) => Promise<Plan<T>>): Promise<T> {
  const queue = turnsOf(engine);
  let endTurn: (() => void) | undefined;
  try {
    for (let attempt = 1; attempt <= triesAtMost; attempt++) {
      const decided = await plan(attempt);
      if (!("commit" in decided)) return decided.answer;
      const transaction = decided.commit.build(engine.clock.now());
      const rows = sharedSessions(transaction);
      if (!endTurn && (attempt > lossesAtMost || queue.isQueued(rows))) {
        endTurn = await queue.take(rows);
        continue;
      }
      const result = await commit(engine, transaction);
      if (result.committed) {
        for (const event of decided.commit.events) engine.events.emit(event);
        if (bringsWork(transaction)) engine.wake(queuedHeads(transaction, result.sessions));
        const { answer } = decided;
        return isFunction(answer) ? answer(new Map(result.sessions.map((session) => [session.id, session]))) : answer;
      }
      if (attempt > 3) await pause(attempt);
    }
  } finally {
    endTurn?.();
  }
  throw new TrunklineError(
    "store_contended",
    "The same rows were changed by others 50 times in a row; nothing was written",
    {
      retryable: true,
      fix: "Try again; if it keeps happening, lower the number of processes that work on one session.",
    },
  );
}

/** The sessions that others write to as well; a plan only reads, so whoever has a turn never waits for another. */
function sharedSessions({ sessions = [] }: StoreTransaction): readonly string[] {
  return sessions.filter((write) => write.create === undefined).map(({ id }) => id);
}

function turnsOf(engine: Engine): SessionTurns {
  const known = turns.get(engine) ?? createSessionTurns();
  turns.set(engine, known);
  return known;
}

/** Commits; where the connection died meanwhile, finds out whether the rows are there before anything is done again. */
async function commit(engine: Engine, transaction: StoreTransaction): Promise<CommitResult> {
  for (const hint of transaction.hints ?? []) engine.ownHints.add(hint);
  try {
    return await engine.store.commit(transaction);
  } catch (error) {
    if (!TrunklineError.isInstance(error) || error.code !== "store_outcome_unknown") throw error;
    engine.logger.warn({ err: error }, "the connection died during a commit; looking whether it took effect");
    const committed = (await wasCommitted(engine.store, transaction)) ?? false;
    return committed ? { committed, sessions: [] } : { committed };
  }
}

function isFunction<T>(
  answer: T | ((sessions: ReadonlyMap<string, CommittedSession>) => T),
): answer is (sessions: ReadonlyMap<string, CommittedSession>) => T {
  return typeof answer === "function";
}

// Real time on purpose: the contention is between real processes, whatever the engine's clock says.
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(attempt, 20)));
}
