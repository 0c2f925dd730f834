import { GuardFailed } from "../commit/guard-failed.ts";
import type { SqlExecutor } from "../dialect.ts";
import type { Statement, Steps, Written } from "../statement.ts";
import type { ConnectionSource, ServerConnection } from "./connections.ts";
import { busy, closed, outcomeUnknown } from "./executor-errors.ts";
import { createRetry } from "./retry.ts";
import type { ServerDialect } from "./server-dialect.ts";
import { createStepRun, type StepRun } from "./step-run.ts";

export interface ServerExecutorOptions {
  readonly source: ConnectionSource;
  readonly dialect: ServerDialect;
  readonly description: string;
  /** False inside a transaction of the caller, which only the caller can begin again. */
  readonly retries?: boolean;
}

/** The connection died while a transaction was being committed. */
class CommitLost extends Error {
  override readonly name = "CommitLost";
  readonly written: Written<unknown>;

  constructor(written: Written<unknown>, cause: unknown) {
    super("the connection was lost during a commit", { cause });
    this.written = written;
  }
}

/** Runs operations on a server: one connection and one transaction each, again after a conflict or a lost connection. */
export function createServerExecutor(options: ServerExecutorOptions): SqlExecutor {
  const { source, dialect, description } = options;
  const retry = createRetry({ dialect, description, retries: options.retries ?? true });
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  /** Everything goes through here, so that closing can wait for it. */
  async function admit<T>(work: () => Promise<T>): Promise<T> {
    if (isClosed) throw closed(description);
    const result = work();
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  }

  function read<T>(begin: readonly Statement[], steps: () => Steps<T>): Promise<T> {
    return retry(() =>
      source.lend(async (connection) => {
        const run = createStepRun(connection, dialect, begin);
        return await undoing(run, async () => {
          const value = await run.drive(steps());
          if (begin.length > 0) await run.finish(dialect.commit);
          return value;
        });
      }),
    );
  }

  function write<T>(steps: () => Steps<Written<T>>): Promise<T> {
    return retry(async () => {
      try {
        return await source.lend((connection) => writeOn(connection, dialect.begin, steps));
      } catch (error) {
        if (!(error instanceof CommitLost)) throw error;
        const { landed, value } = error.written as Written<T>;
        const there = landed === undefined ? undefined : await read(dialect.begin, landed).catch(() => undefined);
        if (there === true) return value;
        throw there === false ? error.cause : outcomeUnknown(description, error.cause);
      }
    });
  }

  async function writeOn<T>(
    connection: ServerConnection,
    begin: readonly Statement[],
    steps: () => Steps<Written<T>>,
  ): Promise<T> {
    const run = createStepRun(connection, dialect, begin);
    const written = await undoing(run, () => run.drive(steps()));
    if (written.keep) return await commit(connection, run, written);
    await run.undo();
    return written.value;
  }

  async function commit<T>(connection: ServerConnection, run: StepRun, written: Written<T>): Promise<T> {
    try {
      await run.finish(dialect.commit);
      return written.value;
    } catch (error) {
      if (dialect.kindOf(error) === "lost") {
        connection.discard();
        throw new CommitLost(written, error);
      }
      await run.undo();
      const refuses = error instanceof GuardFailed || dialect.kindOf(error) === "unique";
      if (refuses && written.refused !== undefined) return written.refused;
      throw error;
    }
  }

  async function migrate<T>(steps: () => Steps<Written<T>>): Promise<T> {
    return await source.lend(async (connection) => {
      const { lockMigration, transactionalSchema, begin, unlockMigration } = dialect;
      if (transactionalSchema) return await writeOn(connection, [...begin, lockMigration], steps);
      const [locked] = await connection.run([lockMigration]);
      if (Number(locked?.rows[0]?.["locked"]) !== 1) throw busy(description, undefined);
      try {
        return (await createStepRun(connection, dialect, []).drive(steps())).value;
      } finally {
        if (unlockMigration !== undefined) await connection.run([unlockMigration]).catch(() => connection.discard());
      }
    });
  }

  return {
    query: (steps) => admit(() => read(dialect.beginQuery ?? [], steps)),
    snapshot: (steps) => admit(() => read(dialect.beginSnapshot, steps)),
    write: (steps) => admit(() => write(steps)),
    migrate: (steps) => admit(() => retry(() => migrate(steps))),
    clock: () =>
      admit(() =>
        read(dialect.beginQuery ?? [], function* () {
          return Number((yield dialect.clock).rows[0]?.["now"]);
        }),
      ),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(running);
      await source.close();
    },
  };
}

async function undoing<T>(run: StepRun, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await run.undo(error);
    throw error;
  }
}
