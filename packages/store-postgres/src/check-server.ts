import { TrunklineError } from "@trunkline/core";
import { type SqlExecutor, selectFirst } from "@trunkline/store-sql";

const oldestMajor = 13;

/** Connects once, and refuses a server that is too old or whose database is not in UTF-8. */
export async function checkServer(executor: SqlExecutor, description: string): Promise<void> {
  const row = await executor.query(() =>
    selectFirst({
      sql: "select current_setting('server_version') as version, current_setting('server_version_num')::int as number, current_setting('server_encoding') as encoding",
      parameters: [],
    }),
  );
  if (Math.floor(Number(row?.["number"]) / 10_000) < oldestMajor) {
    throw new TrunklineError(
      "store_unavailable",
      `${description} runs PostgreSQL ${row?.["version"]}, which is too old.`,
      {
        fix: `Use PostgreSQL ${oldestMajor} or newer.`,
      },
    );
  }
  if (row?.["encoding"] !== "UTF8") {
    throw new TrunklineError(
      "store_unavailable",
      `${description} keeps text as ${row?.["encoding"]}, which cannot hold every text.`,
      {
        fix: "Create the database with encoding UTF8.",
      },
    );
  }
}
