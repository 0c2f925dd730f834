import type { CommitResult, StoreTransaction } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { createCommitGroups } from "./commit-groups.ts";
import { type CommitInput, type CommitOutcome, commitSteps } from "./commit-steps.ts";
import { createSessionMemory } from "./known-sessions.ts";
import { createTurns } from "./turns.ts";

export interface Commits {
  commit(transaction: StoreTransaction): Promise<CommitResult>;
  /** Resolves when those that were asked for before are done. */
  ended(): Promise<void>;
}

/**
 * Commits of one handle. On a server those of one session take turns here rather than in the database, and the rows that
 * they leave behind spare the next one a round trip.
 */
export function createCommits(
  context: SqlContext,
  executor: SqlExecutor,
  options: { readonly remembersRows: boolean; readonly groups: boolean },
): Commits {
  const write = (input: CommitInput) => executor.write<CommitOutcome>(() => commitSteps(context, input));
  if (!options.remembersRows) {
    return {
      commit: async (transaction) => (await write({ transaction, now: Date.now() })).result,
      ended: async () => undefined,
    };
  }
  const memory = createSessionMemory();
  const turns = createTurns();
  const groups = options.groups ? createCommitGroups(context, executor) : undefined;

  async function commit(transaction: StoreTransaction): Promise<CommitResult> {
    const known = memory.recall(transaction);
    if (known !== undefined) {
      const input = { transaction, now: Date.now(), known };
      const outcome = (await groups?.join(input)) ?? (await write(input));
      memory.remember(outcome.rows);
      if (outcome.result.committed) return outcome.result;
      memory.forget(known);
    }
    const outcome = await write({ transaction, now: Date.now() });
    if (known !== undefined && outcome.result.committed) memory.distrust(known);
    else memory.remember(outcome.rows);
    return outcome.result;
  }

  return {
    commit: (transaction) =>
      turns.take(
        (transaction.sessions ?? []).map(({ id }) => id),
        () => commit(transaction),
      ),
    ended: () => turns.ended(),
  };
}
