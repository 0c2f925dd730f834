import { TrunklineError } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import type { CommitInput, CommitOutcome } from "./commit-steps.ts";
import { groupSteps, type PlannedCommit, planCommit, soloSteps } from "./group-steps.ts";

/** Commits that were planned from remembered rows, a few in one transaction. */
export interface CommitGroups {
  /** Undefined when the commit is to be made by itself: it has to hear from the database first, or its group was undone. */
  join(input: CommitInput): Promise<CommitOutcome | undefined>;
}

interface Member {
  readonly commit: PlannedCommit;
  settle(outcome: Promise<CommitOutcome | undefined>): void;
}

/** Two groups of some keep both the server and this process at work; one large group lets them wait for each other. */
const defaultMembers = 8;

/**
 * Collects the commits that are asked for in one turn of the event loop. One that is refused, or waits for a row, takes no
 * other with it: then all of its group are undone and made alone.
 */
export function createCommitGroups(context: SqlContext, executor: SqlExecutor): CommitGroups {
  const maxMembers = context.traits.commitsAtOnce ?? defaultMembers;
  let waiting: Member[] = [];

  function flush(): void {
    const members = waiting;
    waiting = [];
    const size = Math.ceil(members.length / Math.ceil(members.length / maxMembers));
    for (let from = 0; from < members.length; from += size) start(members.slice(from, from + size));
  }

  function start(members: readonly Member[]): void {
    const [first, ...others] = members;
    if (first !== undefined && others.length === 0) {
      first.settle(executor.write(() => soloSteps(context, first.commit)));
      return;
    }
    const outcomes = together(members.map(({ commit }) => commit));
    for (const [place, { settle }] of members.entries()) settle(outcomes.then((each) => each?.[place]));
  }

  async function together(commits: readonly PlannedCommit[]): Promise<readonly CommitOutcome[] | undefined> {
    try {
      return await executor.write(() => groupSteps(context, commits));
    } catch (error) {
      if (TrunklineError.isInstance(error) && error.code === "store_outcome_unknown") throw error;
      return undefined;
    }
  }

  return {
    async join(input) {
      const commit = planCommit(context, input);
      if (commit === undefined) return undefined;
      return await new Promise((settle) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ commit, settle });
      });
    },
  };
}
