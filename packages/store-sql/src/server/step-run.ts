import { GuardFailed } from "../commit/guard-failed.ts";
import type { Statement, StatementResult, Steps } from "../statement.ts";
import type { ServerConnection } from "./connections.ts";
import type { ServerDialect } from "./server-dialect.ts";

/** Steps on one connection. Writes that may wait are sent together with the next statement whose result is needed. */
export interface StepRun {
  drive<T>(steps: Steps<T>): Promise<T>;
  /** Sends what waits, and then `last`. */
  finish(last: Statement): Promise<void>;
  /** Undoes the transaction after a refusal or an error; a connection on which that fails is discarded. */
  undo(error?: unknown): Promise<void>;
}

const putOff: StatementResult = { rows: [], changes: 1 };

/** `first` begins the transaction; it waits for the first statement too. */
export function createStepRun(
  connection: ServerConnection,
  dialect: ServerDialect,
  first: readonly Statement[],
): StepRun {
  let waiting: Statement[] = [];
  let sent = false;

  async function send(last: Statement): Promise<StatementResult> {
    const begin = sent ? [] : first;
    const writes = waiting.flatMap((write) => (write.expects === "one" ? dialect.guard(write) : [write]));
    waiting = [];
    sent = true;
    return await run([...begin, ...writes, last]);
  }

  async function run(statements: readonly Statement[]): Promise<StatementResult> {
    try {
      return (await connection.run(statements)).at(-1) ?? putOff;
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
          next = steps.next(putOff);
          continue;
        }
        let result: StatementResult;
        try {
          result = await send(statement);
        } catch (error) {
          next = steps.throw(error);
          continue;
        }
        next = steps.next(result);
      }
      return next.value;
    },
    async finish(last) {
      if (!sent && waiting.length === 0) return;
      const single = sent ? undefined : dialect.single?.(waiting);
      await (single === undefined ? send(last) : run([single]));
    },
    async undo(error) {
      if (!sent) return;
      if (dialect.kindOf(error) === "lost") return connection.discard();
      try {
        await connection.run([dialect.rollback]);
      } catch {
        connection.discard();
      }
    },
  };
}
