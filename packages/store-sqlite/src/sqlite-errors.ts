import { TrunklineError } from "@trunkline/core";
import { notMigrated } from "@trunkline/store-sql";
import Database from "better-sqlite3";

/** The driver's code of an error, e.g. `SQLITE_BUSY`; empty for other errors. */
export function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : "";
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED" || code === "SQLITE_PROTOCOL";
}

export function isUniqueViolation(error: unknown): boolean {
  const code = sqliteCode(error);
  return (
    code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY" || code === "SQLITE_CONSTRAINT_ROWID"
  );
}

const fixes: { readonly [prefix: string]: string } = {
  SQLITE_CANTOPEN: "Create its directory, and let this user write there.",
  SQLITE_READONLY: "Let this user write to the file and to its directory.",
  SQLITE_PERM: "Let this user write to the file and to its directory.",
  SQLITE_AUTH: "Let this user write to the file and to its directory.",
  SQLITE_NOTADB: "Choose another path, or move that file away: it is no SQLite database.",
  SQLITE_CORRUPT: "Restore the file from a backup.",
  SQLITE_FULL: "Free some space on its disk.",
  SQLITE_IOERR: "Check its disk; the file must lie on a local one.",
};

/** Any error of the driver as the store's own. */
export function toStoreError(error: unknown, description: string): TrunklineError {
  if (TrunklineError.isInstance(error)) return error;
  const code = sqliteCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (isBusy(error)) return busyError(description, error);
  if (code === "SQLITE_ERROR" && message.startsWith("no such table")) return notMigrated(description, error);
  if (code === "SQLITE_TOOBIG") {
    return new TrunklineError("store_too_large", `A value is too large for ${description}.`, { cause: error });
  }
  const fix = Object.entries(fixes).find(([prefix]) => code.startsWith(prefix))?.[1];
  return new TrunklineError("store_unavailable", `${description} cannot be used: ${message}.`, {
    cause: error,
    ...(fix === undefined ? {} : { fix }),
  });
}

export function busyError(description: string, cause: unknown): TrunklineError {
  return new TrunklineError("store_busy", `${description} stayed locked by another process.`, {
    fix: "End the process that holds the lock, or try again later.",
    retryable: true,
    cause,
  });
}

export function closedError(description: string): TrunklineError {
  return new TrunklineError("store_unavailable", `The store on ${description} was closed.`, {
    fix: "Open a new store; a closed one cannot be used again.",
  });
}
