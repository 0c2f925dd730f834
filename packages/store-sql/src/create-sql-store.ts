import { randomUUID } from "node:crypto";
import { type ReadRequest, type ReadResults, type SessionStore, TrunklineError, type WakeHint } from "@trunkline/core";
import { createCommits } from "./commit/create-commits.ts";
import { createContext } from "./context.ts";
import type { DialectTraits, SqlExecutor } from "./dialect.ts";
import { pruneSteps } from "./prune/prune-steps.ts";
import { createReads } from "./read/create-reads.ts";
import { isListedAtOnce, listSessionsSteps } from "./read/list-sessions.ts";
import { pageOf, pageStatements } from "./read/read-messages.ts";
import { readTailsSteps } from "./read/read-tails.ts";
import { sumUsageSteps } from "./read/sum-usage.ts";
import { migrateSteps } from "./schema/migrate.ts";
import { checkSchemaVersion, latestSchemaVersion, readSchemaVersion } from "./schema/schema-version.ts";
import { createSearch } from "./search/create-search.ts";
import type { Statement } from "./statement.ts";
import { createWakeFeed } from "./wake/create-wake-feed.ts";
import type { PollSource } from "./wake/feed-poll.ts";
import type { HintChannel } from "./wake/hint-channel.ts";

export interface SqlStoreOptions {
  readonly executor: SqlExecutor;
  readonly traits: DialectTraits;
  readonly description: string;
  readonly capabilities: SessionStore["capabilities"];
  /** Put before every table's name, for databases that hold other tables too. */
  readonly tablePrefix?: string;
  /** The schema that holds the tables, made by the first migration; default: where the connection looks by itself. */
  readonly schema?: string;
  /** How hints of other handles are noticed; without it only this handle's own are published. */
  readonly poll?: PollSource;
  /** How hints reach other handles at once. */
  readonly push?: HintChannel;
  /** The executor works inside a transaction of the caller: hints wait for `flushHints`, nothing runs in the background. */
  readonly inTransaction?: boolean;
  /** What is asked for in one turn of the event loop shares a round trip, and commits a transaction, where it can. */
  readonly groups?: boolean;
  /** Statements of a commit that push its hints to other handles, once the transaction around them is committed. */
  readonly notify?: (hints: readonly WakeHint[]) => readonly Statement[];
}

/** A store whose hints may have to wait. */
export interface SqlStore extends SessionStore {
  /** Tells the subscribers of this handle what was committed, once the caller's transaction is; else they know already. */
  flushHints(): void;
}

/** The session store on any SQL database: all statements are here, the executor and the traits say how they run. */
export function createSqlStore(options: SqlStoreOptions): SqlStore {
  const { executor, description, capabilities, inTransaction = false, groups = false } = options;
  const context = createContext({
    traits: options.traits,
    prefix: options.tablePrefix ?? "",
    schema: options.schema,
    feedOrigin: options.poll || inTransaction ? randomUUID() : undefined,
    notify: options.notify,
  });
  const feed = createWakeFeed(context, executor, { ...options, holdsHints: inTransaction });
  const search = createSearch(context, executor, { addsMessages: !inTransaction });
  const commits = createCommits(context, executor, {
    remembersRows: options.traits.rowLocks && !inTransaction,
    groups,
  });
  const reads = createReads(context, executor, { groups });
  let schemaIsCurrent = false;

  const schemaVersion = async () => ({
    current: await executor.query(() => readSchemaVersion(context)).catch(noneYet),
    latest: latestSchemaVersion,
  });

  /** Undefined once the schema is known to be current, so that later operations start in the same tick. */
  function ready(): Promise<void> | undefined {
    if (schemaIsCurrent) return undefined;
    return executor
      .query(() => readSchemaVersion(context))
      .then((version) => {
        checkSchemaVersion(version, description);
        schemaIsCurrent = true;
      });
  }

  async function close(): Promise<void> {
    await feed.close();
    search.close();
    await commits.ended();
    await executor.close();
  }

  return {
    capabilities,
    description,
    async migrate() {
      await executor.migrate(() => migrateSteps(context, description));
      schemaIsCurrent = true;
    },
    schemaVersion,
    close,
    clock: () => executor.clock(),
    async commit(transaction) {
      await ready();
      const result = await commits.commit(transaction);
      if (!result.committed) return result;
      if (transaction.hints !== undefined) feed.publish(transaction.hints);
      if (transaction.sessions !== undefined) search.noteCommit(transaction.sessions);
      return result;
    },
    async read<const R extends readonly ReadRequest[]>(requests: R) {
      await ready();
      return (await reads.read(requests)) as ReadResults<R>;
    },
    async listSessions(query) {
      await ready();
      const steps = () => listSessionsSteps(context, query);
      return isListedAtOnce(query) ? await executor.query(steps) : await executor.snapshot(steps);
    },
    async readMessages(query) {
      await ready();
      return pageOf(context, query, await reads.rows(pageStatements(context, query)));
    },
    async readTails(query) {
      await ready();
      return await executor.snapshot(() => readTailsSteps(context, query));
    },
    async searchMessages(query) {
      await ready();
      return await search.messages(query);
    },
    async sumUsage(query) {
      await ready();
      return await executor.query(() => sumUsageSteps(context, query));
    },
    async prune(request) {
      await ready();
      return await executor.write(() => pruneSteps(context, request));
    },
    subscribe: (listener) => feed.subscribe(listener),
    flushHints: () => feed.flush(),
    [Symbol.asyncDispose]: close,
  };
}

function noneYet(error: unknown): number {
  if (TrunklineError.isInstance(error) && error.code === "store_not_migrated") return 0;
  throw error;
}
