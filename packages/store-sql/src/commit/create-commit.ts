import type { CommitResult, StoreTransaction } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { type CommitInput, type CommitOutcome, commitSteps } from "./commit-steps.ts";
import { createSessionMemory } from "./known-sessions.ts";
import { createTurns } from "./turns.ts";

/**
 * Commits of one handle. On a server those of one session take turns here rather than in the database, and the rows that
 * they leave behind spare the next one a round trip.
 */
export function createCommit(
  context: SqlContext,
  executor: SqlExecutor,
  options: { readonly remembersRows: boolean },
): (transaction: StoreTransaction) => Promise<CommitResult> {
  const write = (input: CommitInput) => executor.write<CommitOutcome>(() => commitSteps(context, input));
  if (!options.remembersRows) {
    return async (transaction) => (await write({ transaction, now: Date.now() })).result;
  }
  const memory = createSessionMemory();
  const turns = createTurns();

  async function commit(transaction: StoreTransaction): Promise<CommitResult> {
    const known = memory.recall(transaction);
    if (known !== undefined) {
      const outcome = await write({ transaction, now: Date.now(), known });
      memory.remember(outcome.rows);
      if (outcome.result.committed) return outcome.result;
      memory.forget(known);
    }
    const outcome = await write({ transaction, now: Date.now() });
    if (known !== undefined && outcome.result.committed) memory.distrust(known);
    else memory.remember(outcome.rows);
    return outcome.result;
  }

  return (transaction) =>
    turns.take(
      (transaction.sessions ?? []).map(({ id }) => id),
      () => commit(transaction),
    );
}
