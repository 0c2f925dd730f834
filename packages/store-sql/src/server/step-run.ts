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
  let waiting: readonly Statement[] = first;
  let sent = false;

  async function send(statement: Statement): Promise<StatementResult> {
    const statements = [...waiting, statement];
    waiting = [];
    sent = true;
    try {
      const results = await connection.run(statements);
      return results.at(-1) ?? putOff;
    } catch (error) {
      throw dialect.kindOf(error) === "guard" ? new GuardFailed("a row was not as the transaction wants it") : error;
    }
  }

  function wait(statement: Statement): StatementResult {
    waiting = [...waiting, ...(statement.expects === "one" ? dialect.guard(statement) : [statement])];
    return putOff;
  }

  return {
    async drive(steps) {
      let next = steps.next();
      while (next.done !== true) {
        const statement = next.value;
        if (connection.batches && statement.expects !== undefined) {
          next = steps.next(wait(statement));
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
      await send(last);
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
