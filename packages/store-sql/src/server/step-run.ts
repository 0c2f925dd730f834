import { GuardFailed } from "../commit/guard-failed.ts";
import type { Statement, StatementResult, Steps } from "../statement.ts";
import type { ServerConnection } from "./connections.ts";
import { joinInserts } from "./join-inserts.ts";
import type { ServerDialect } from "./server-dialect.ts";

/** Steps on one connection. Writes that may wait are sent together with the next statement whose result is needed. */
export interface StepRun {
  drive<T>(steps: Steps<T>): Promise<T>;
  /** Sends what waits, and then `last`. */
  finish(last: Statement): Promise<void>;
  /** Undoes the transaction after a refusal or an error; a connection on which that fails is discarded. */
  undo(error?: unknown): Promise<void>;
}

const none: StatementResult = { rows: [], changes: 0 };

/** `first` begins the transaction; it waits for the first statement too. */
export function createStepRun(
  connection: ServerConnection,
  dialect: ServerDialect,
  first: readonly Statement[],
): StepRun {
  let waiting: Statement[] = [];
  let sent = false;
  let ended = false;
  let ahead: readonly StatementResult[] = [];

  async function send(last: Statement): Promise<StatementResult> {
    const begin = sent ? [] : first;
    sent = true;
    return (await run([...begin, ...takeWaiting(), last])).at(-1) ?? none;
  }

  function takeWaiting(): readonly Statement[] {
    const writes = joinInserts(waiting, { inPowers: dialect.prepares }).flatMap((write) =>
      typeof write.expects === "number" ? dialect.guard(write, write.expects) : [write],
    );
    waiting = [];
    return writes;
  }

  /** All that is read in the transaction, its end included. */
  async function sendTogether(statement: Statement, rest: readonly Statement[]): Promise<StatementResult> {
    sent = true;
    const results = await run([...first, statement, ...rest, ...(first.length > 0 ? [dialect.commit] : [])]);
    ended = true;
    ahead = results.slice(first.length + 1, first.length + 1 + rest.length);
    return results[first.length] ?? none;
  }

  async function answer(statement: Statement): Promise<StatementResult> {
    const [known, ...later] = ahead;
    ahead = later;
    if (known !== undefined) return known;
    const together = connection.batches && !sent && waiting.length === 0 ? statement.followedBy : undefined;
    return together === undefined ? await send(statement) : await sendTogether(statement, together);
  }

  async function run(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    try {
      return await connection.run(statements);
    } catch (error) {
      throw dialect.kindOf(error) === "guard" ? new GuardFailed("a row was not as the transaction wants it") : error;
    }
  }

  return {
    async drive(steps) {
      let next = steps.next();
      while (next.done !== true) {
        const statement = next.value;
        if (connection.batches && statement.expects !== undefined) {
          waiting.push(statement);
          next = steps.next(asExpected(statement));
          continue;
        }
        let result: StatementResult;
        try {
          result = await answer(statement);
        } catch (error) {
          next = steps.throw(error);
          continue;
        }
        next = steps.next(result);
      }
      return next.value;
    },
    async finish(last) {
      if (ended || (!sent && waiting.length === 0)) return;
      const isWhole = connection.commits && !sent && first === dialect.begin;
      await (isWhole ? run(takeWaiting()) : send(last));
    },
    async undo(error) {
      if (!sent || ended) return;
      if (dialect.kindOf(error) === "lost") return connection.discard();
      try {
        await connection.run([dialect.rollback]);
      } catch {
        connection.discard();
      }
    },
  };
}

/** What is put off is taken to have matched. */
function asExpected({ expects }: Statement): StatementResult {
  return { rows: [], changes: typeof expects === "number" ? expects : 1 };
}
