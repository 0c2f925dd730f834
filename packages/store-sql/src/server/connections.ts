import type { Statement, StatementResult } from "../statement.ts";

/** One connection to a server, lent for the length of an operation. */
export interface ServerConnection {
  /** Several statements go in one round trip, and guards are checked by the server. */
  readonly batches: boolean;
  /** Writes that are run together are a transaction by themselves, and need neither a begin nor a commit. */
  readonly commits?: boolean;
  /** Runs statements in order and rejects with the first error; those after it have no effect or are undone with it. */
  run(statements: readonly Statement[]): Promise<readonly StatementResult[]>;
  /** The connection is closed when it comes back, and never lent again. */
  discard(): void;
}

/** Where an executor gets its connections from. */
export interface ConnectionSource {
  /** Lends a connection to `work` and takes it back afterwards, whatever happens. */
  lend<T>(work: (connection: ServerConnection) => Promise<T>): Promise<T>;
  /** Closes what the source itself opened. */
  close(): Promise<void>;
}
