import type { TrunklineError } from "@trunkline/core";
import type { Statement } from "../statement.ts";

/**
 * What an error of a driver means: a unique rule was broken; a guard that the server checks did not hold; another
 * transaction was in the way and all may be tried again; it stayed in the way for as long as the store waits; the
 * connection is gone; anything else.
 */
export type ServerErrorKind = "unique" | "guard" | "conflict" | "busy" | "lost" | "other";

/** A statement with those around it that bring its large values to the server, and forget them. */
export interface ExpandedStatement {
  readonly before: readonly Statement[];
  readonly statement: Statement;
  readonly after: readonly Statement[];
}

/** How one kind of server runs transactions, and what its errors mean. */
export interface ServerDialect {
  readonly begin: readonly Statement[];
  /** Before a single read, which needs no transaction as a rule. */
  readonly beginQuery?: readonly Statement[];
  /** Begins a transaction whose reads all see one state. */
  readonly beginSnapshot: readonly Statement[];
  readonly commit: Statement;
  readonly rollback: Statement;
  /** The server's time in milliseconds, as `now`. */
  readonly clock: Statement;
  /** Statements are kept prepared on a connection, so that the fewer of them there are the better. */
  readonly prepares: boolean;
  /** Makes a write fail in the server unless it matches so many rows; used on connections that batch. */
  guard(statement: Statement, rows: number): readonly Statement[];
  /** Takes values out of a statement that do not fit into one packet, for drivers that know nothing of that. */
  expand?(statement: Statement): ExpandedStatement;
  /** Schema changes are undone with a transaction; where they are not, each one is committed by itself. */
  readonly transactionalSchema: boolean;
  /** Taken before a migration, and held until its end by the connection or by its transaction. */
  readonly lockMigration: Statement;
  /** Where the lock is the connection's; a transaction's ends with it. */
  readonly unlockMigration?: Statement;
  kindOf(error: unknown): ServerErrorKind;
  toStoreError(error: unknown): TrunklineError;
}
