import type { RawBuilder } from "kysely";
import type { SqlCompiler } from "../shapes.ts";
import type { Statement, Steps } from "../statement.ts";

/** Names a text index is built on. */
export interface MessageIndexTables extends SqlCompiler {
  readonly messages: string;
  readonly sessions: string;
  readonly meta: string;
  /** The name for the index's own table; with a suffix, for further ones. */
  readonly index: string;
}

/** Words that stand next to one another, as `wordsOf` gives them; most terms are of one word. */
export type SearchTerm = readonly string[];

/** A query as the index answers it. */
export interface IndexQuery {
  /** Stands for the SQL: equal names mean equal texts. */
  readonly name: string;
  /** What to read from; it holds the messages table as `m`. */
  readonly source: RawBuilder<unknown>;
  /** Holds for the rows of `source` that the index finds. */
  readonly condition: RawBuilder<boolean>;
  /** Orders the rows of `source`: the latest written first. */
  readonly newestFirst: RawBuilder<unknown>;
  /** The values of the slots in all of these. */
  readonly values: Readonly<Record<string, unknown>>;
  /** False when rows are found that lack a term, so that each one has to be looked at. */
  readonly exact: boolean;
}

/** How one database finds messages by word. */
export interface MessageIndex {
  /** Further columns and indexes of `sessions`, as they stand in `create table`. */
  readonly sessionParts?: readonly string[];
  /** The column of `sessions` that a commit sets to 1 when it adds messages; a new session's is 1 by itself. */
  readonly sessionMark?: string;
  /** Statements that make the index; each may be repeated. */
  readonly create: readonly Statement[];
  /** How messages with all of these terms are found; there is one at least. */
  find(terms: readonly SearchTerm[]): IndexQuery;
  /** Whether messages wait to be added; never, where the database keeps the index itself. */
  hasPending(): Steps<boolean>;
  /** Adds some of the waiting messages, few enough for a turn of the event loop. */
  addPending(): Steps<void>;
  /** Forgets messages; called before their rows are deleted, in the same transaction. */
  forget(messageIds: readonly string[]): Steps<void>;
}
