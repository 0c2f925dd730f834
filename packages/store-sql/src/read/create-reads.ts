import type { ReadRequest } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import { planReads, readSteps } from "./read-steps.ts";

/** Keyed and indexed reads of one handle. */
export interface Reads {
  /** Answers in the order of the requests, all of one moment. */
  read(requests: readonly ReadRequest[]): Promise<readonly unknown[]>;
}

interface Member {
  readonly requests: readonly ReadRequest[];
  settle(answers: Promise<readonly unknown[]>): void;
}

/** The rows of one read must not have many others wait for them. */
const maxMembers = 16;

/**
 * With `groups`, reads that are asked for in one turn of the event loop share a round trip, and those that look up rows of
 * one table a statement. One that cannot be made takes no other with it: then each is made by itself.
 */
export function createReads(
  context: SqlContext,
  executor: SqlExecutor,
  { groups }: { readonly groups: boolean },
): Reads {
  let waiting: Member[] = [];

  async function read(requests: readonly ReadRequest[]): Promise<readonly unknown[]> {
    const reads = planReads(context, requests);
    const steps = () => readSteps(reads, requests);
    return reads.length > 1 ? await executor.snapshot(steps) : await executor.query(steps);
  }

  function flush(): void {
    const members = waiting;
    waiting = [];
    for (let from = 0; from < members.length; from += maxMembers) start(members.slice(from, from + maxMembers));
  }

  function start(members: readonly Member[]): void {
    const together = read(members.flatMap(({ requests }) => requests));
    let from = 0;
    for (const { requests, settle } of members) {
      const [first, end] = [from, from + requests.length];
      from = end;
      settle(
        together.then(
          (answers) => answers.slice(first, end),
          (error: unknown) => (members.length === 1 ? Promise.reject(error) : read(requests)),
        ),
      );
    }
  }

  if (!groups) return { read };
  return {
    read: (requests) =>
      new Promise((settle) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ requests, settle });
      }),
  };
}
