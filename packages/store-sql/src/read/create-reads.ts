import type { ReadRequest } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { SqlExecutor } from "../dialect.ts";
import type { Row, Statement } from "../statement.ts";
import { answersOf, planReads } from "./read-steps.ts";
import { selectTogether } from "./select.ts";

/** Reads of one handle, each of one moment. */
export interface Reads {
  /** Keyed and indexed reads; answers in the order of the requests. */
  read(requests: readonly ReadRequest[]): Promise<readonly unknown[]>;
  /** The rows of statements, none of which depends on another. */
  rows(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
}

interface Asked {
  readonly requests: readonly ReadRequest[];
  readonly statements: readonly Statement[];
}

interface Found {
  readonly answers: readonly unknown[];
  readonly rows: readonly (readonly Row[])[];
}

interface Member extends Asked {
  settle(found: Promise<Found>): void;
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

  async function find({ requests, statements }: Asked): Promise<Found> {
    const reads = planReads(context, requests);
    const all = [...reads.map(({ statement }) => statement), ...statements];
    const steps = () => selectTogether(all);
    const found = all.length > 1 ? await executor.snapshot(steps) : await executor.query(steps);
    return { answers: answersOf(reads, requests, found), rows: found.slice(reads.length) };
  }

  function flush(): void {
    const members = waiting;
    waiting = [];
    for (let from = 0; from < members.length; from += maxMembers) start(members.slice(from, from + maxMembers));
  }

  function start(members: readonly Member[]): void {
    const together = find({
      requests: members.flatMap(({ requests }) => requests),
      statements: members.flatMap(({ statements }) => statements),
    });
    let [request, statement] = [0, 0];
    for (const { requests, statements, settle } of members) {
      const own = { request, statement };
      request += requests.length;
      statement += statements.length;
      settle(
        together.then(
          ({ answers, rows }) => ({
            answers: answers.slice(own.request, own.request + requests.length),
            rows: rows.slice(own.statement, own.statement + statements.length),
          }),
          (error: unknown) => (members.length === 1 ? Promise.reject(error) : find({ requests, statements })),
        ),
      );
    }
  }

  function ask(asked: Asked): Promise<Found> {
    if (!groups) return find(asked);
    return new Promise((settle) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ ...asked, settle });
    });
  }

  return {
    read: async (requests) => (await ask({ requests, statements: [] })).answers,
    rows: async (statements) => (await ask({ requests: [], statements })).rows,
  };
}
