import { TrunklineError } from "@trunkline/core";
import Database from "better-sqlite3";
import { type RetryOptions, retryBusy } from "./retry-busy.ts";

/** Opens the file and sets it up; throws `store_unavailable` naming the path, or `store_busy`. */
export async function openDatabase(
  path: string,
  synchronous: "normal" | "full",
  retry: RetryOptions,
): Promise<Database.Database> {
  const database = openFile(path, retry.description);
  try {
    await retryBusy(() => {
      database.pragma("journal_mode = wal");
      database.pragma(`synchronous = ${synchronous}`);
    }, retry);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openFile(path: string, description: string): Database.Database {
  try {
    return new Database(path, { timeout: 0 });
  } catch (cause) {
    throw new TrunklineError(
      "store_unavailable",
      `${description} cannot be opened: ${cause instanceof Error ? cause.message : cause}.`,
      {
        fix: "Create its directory, and let this user read and write there.",
        cause,
      },
    );
  }
}
