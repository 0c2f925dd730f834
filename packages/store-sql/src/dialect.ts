import type { ColumnType } from "@trunkline/core";
import type { DialectAdapter, Expression, QueryCompiler, RawBuilder } from "kysely";
import type { MessageIndex, MessageIndexTables } from "./search/message-index.ts";
import type { Statement, Steps, Written } from "./statement.ts";

/** All that differs between databases in the SQL itself; everything else is written once in this package. */
export interface DialectTraits {
  readonly createAdapter: () => DialectAdapter;
  readonly createQueryCompiler: () => QueryCompiler;
  /** The column type of each logical type, as it stands in `create table`. Text compares by bytes in all of them. */
  readonly columnTypes: { readonly [T in ColumnType]: string };
  /** The type of a column that numbers its rows itself and is the primary key. */
  readonly serialKey: string;
  /** Gives `messages` such a numbered key (column `row_no`), for text indexes that refer to rows by number. */
  readonly numbersMessages: boolean;
  /** Appended to `create table`. */
  readonly tableOptions?: string;
  /** Indexes may leave rows out (`create index … where`). */
  readonly partialIndexes?: boolean;
  /** Rows are read with `for update` in writing transactions. */
  readonly rowLocks: boolean;
  /** Indexes are made with their table, by databases that know no `create index if not exists`. */
  readonly inlineIndexes?: boolean;
  /** Exact substring test. */
  contains(text: Expression<unknown>, part: Expression<unknown>): RawBuilder<boolean>;
  /** `prefix` followed by `number` as twelve decimal digits. */
  numberedId(prefix: Expression<unknown>, number: Expression<unknown>): RawBuilder<string>;
  /** How many commits share a transaction at most, where another number than that of most servers is the best. */
  readonly commitsAtOnce?: number;
  /** Comes first in a transaction that several commits share: it does not wait for these rows, or for any, for long. */
  readonly lockAtOnce?: (table: string, ids: readonly RawBuilder<string>[]) => RawBuilder<unknown>;
  /** Makes one of alike updates of a row each, by its `id`, where a server takes them the faster; no two name one row. */
  readonly joinUpdates?: (updates: readonly Statement[]) => Statement;
  isUniqueViolation(error: unknown): boolean;
  createMessageIndex(tables: MessageIndexTables): MessageIndex;
}

/** Runs operations on one database. Every error it rejects with is a `TrunklineError`. */
export interface SqlExecutor {
  /** Reads without a transaction: for a single statement. */
  query<T>(steps: () => Steps<T>): Promise<T>;
  /** Reads in one snapshot. */
  snapshot<T>(steps: () => Steps<T>): Promise<T>;
  /** One writing transaction, started again after a lock conflict, undone when `keep` is false or the steps throw. */
  write<T>(steps: () => Steps<Written<T>>): Promise<T>;
  /** Like `write`, but one at a time among all processes; statements may be schema changes. */
  migrate<T>(steps: () => Steps<Written<T>>): Promise<T>;
  /** The database's time in milliseconds. */
  clock(): Promise<number>;
  close(): Promise<void>;
}
