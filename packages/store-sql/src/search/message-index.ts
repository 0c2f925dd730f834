import type { RawBuilder } from "kysely";
import type { SqlCompiler } from "../shapes.ts";
import type { Statement, Steps } from "../statement.ts";

/** Names a text index is built on. */
export interface MessageIndexTables extends SqlCompiler {
  readonly messages: string;
  readonly meta: string;
  /** The name for the index's own table or for its column. */
  readonly index: string;
}

/** How one database finds messages by word. */
export interface MessageIndex {
  /** Statements that make the index; each may be repeated. */
  readonly create: readonly Statement[];
  /** What to read from; it holds the messages table as `m`. */
  readonly source: RawBuilder<unknown>;
  /** Holds for rows of `source` whose text has all the words. */
  matches(words: RawBuilder<unknown>): RawBuilder<boolean>;
  /** Orders rows of `source`: the latest written first. */
  readonly newestFirst: RawBuilder<unknown>;
  /** The words as the parameter of `matches`; undefined when no row can match. */
  query(words: readonly string[]): string | undefined;
  /** Whether messages wait to be added; never, where the database keeps the index itself. */
  hasPending(): Steps<boolean>;
  /** Adds some of the waiting messages, few enough for a turn of the event loop. */
  addPending(): Steps<void>;
  /** Forgets messages; called before their rows are deleted, in the same transaction. */
  forget(messageIds: readonly string[]): Steps<void>;
}
