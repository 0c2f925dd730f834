import type { MessageRecord, SessionRecord } from "./session-records.ts";
import type {
  MessageHit,
  MessagePage,
  MessageQuery,
  MessageSearch,
  MessageTailsQuery,
  PruneRequest,
  ReadRequest,
  ReadResults,
  SessionListQuery,
  UsageQuery,
  UsageTotals,
} from "./store-queries.ts";
import type { CommitResult, StoreTransaction, WakeHint } from "./store-transaction.ts";

/**
 * Durable storage of sessions. A transaction is data: the engine reads, decides and hands over all its writes with
 * guards, and the store applies all or none. No code of the engine runs inside a database transaction.
 *
 * Throws `TrunklineError` only: `store_unavailable`, `store_busy` (after its own retries), `store_too_large`,
 * `store_not_migrated`, `store_schema_newer`, `store_outcome_unknown` (the connection died during a commit).
 */
export interface SessionStore extends AsyncDisposable {
  readonly capabilities: {
    /** Several processes may use the same data. */
    readonly shared: boolean;
    /** Hints of other processes arrive without polling. */
    readonly push: boolean;
    /** Set by stores that keep a transcript as a file. */
    readonly transcriptPath: boolean;
  };
  /** Where the data lies, for people, without credentials, e.g. `sqlite .trunkline/trunkline.db`. */
  readonly description: string;
  /** Brings the schema up to date; safe to repeat and to run in several processes at once. */
  migrate(): Promise<void>;
  /** The schema version found and the one this package writes. */
  schemaVersion(): Promise<{ readonly current: number; readonly latest: number }>;
  close(): Promise<void>;
  /** The database's time in milliseconds. */
  clock(): Promise<number>;
  /** Applies all of it or nothing. Not committed = a guard, a unique rule or a limit did not hold: read and decide again. */
  commit(transaction: StoreTransaction): Promise<CommitResult>;
  /** Several keyed or indexed reads, one snapshot and one round trip where the engine allows. */
  read<const R extends readonly ReadRequest[]>(requests: R): Promise<ReadResults<R>>;
  listSessions(query: SessionListQuery): Promise<readonly SessionRecord[]>;
  readMessages(query: MessageQuery): Promise<MessagePage>;
  /** The newest rows of each session, ascending, parked rows last, in the order of `sessions`; one statement for up to 200. */
  readTails(query: MessageTailsQuery): Promise<readonly (readonly MessageRecord[])[]>;
  searchMessages(query: MessageSearch): Promise<readonly MessageHit[]>;
  sumUsage(query: UsageQuery): Promise<UsageTotals>;
  /** One small batch of retention work. */
  prune(request: PruneRequest): Promise<{ readonly removed: number; readonly more: boolean }>;
  /** Hints of commits, this process's own included (published after the commit); may be late, repeated or lost. */
  subscribe(listener: (hints: readonly WakeHint[]) => void): () => void;
}
