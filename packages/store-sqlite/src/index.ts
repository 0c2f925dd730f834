import type { SessionStore } from "@trunkline/core";
import { createSqlStore } from "@trunkline/store-sql";
import { openDatabase } from "./open-database.ts";
import { busyBudgetMs } from "./retry-busy.ts";
import { createSqliteExecutor } from "./sqlite-executor.ts";
import { sqliteTraits } from "./sqlite-traits.ts";

export { sqliteMigrationSql } from "./sqlite-migration-sql.ts";

export interface SqliteStoreOptions {
  /** The database file, created when missing; its directory must exist. `:memory:` keeps everything in this process. */
  readonly path: string;
  /** `normal` (default) survives a killed process, `full` also a power cut, at the price of one disk flush a commit. */
  readonly synchronous?: "normal" | "full";
  /** How long a lock of another process is waited for, in milliseconds; default 30000, then `store_busy`. */
  readonly busyTimeoutMs?: number;
  /** Put before every table's name. */
  readonly tablePrefix?: string;
  /** Told the text of each statement before it is run, never its values; for counting and tracing. */
  readonly onStatement?: (sql: string) => void;
}

const pollEveryMs = 20;
const idlePollEveryMs = 250;

/** Opens a session store in one SQLite file, which several processes of this machine may share. */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const { path, synchronous = "normal", busyTimeoutMs = busyBudgetMs, tablePrefix, onStatement } = options;
  const description = `sqlite ${path}`;
  const database = await openDatabase(path, synchronous, { description, budgetMs: busyTimeoutMs });
  const shared = !database.memory;
  const dataVersion = database.prepare("pragma data_version").pluck();
  let lastVersion: unknown;
  return createSqlStore({
    executor: createSqliteExecutor({ database, description, busyTimeoutMs, onStatement }),
    traits: sqliteTraits,
    description,
    capabilities: { shared, push: false, transcriptPath: false },
    ...(tablePrefix === undefined ? {} : { tablePrefix }),
    ...(shared ? { poll: { everyMs: pollEveryMs, idleEveryMs: idlePollEveryMs, hasNews } } : {}),
  });

  /** SQLite counts commits of other connections for us. */
  function hasNews(): boolean {
    const version = dataVersion.get();
    const changed = version !== lastVersion;
    lastVersion = version;
    return changed;
  }
}
