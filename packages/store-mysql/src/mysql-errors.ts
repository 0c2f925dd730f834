import { TrunklineError } from "@trunkline/core";
import { notMigrated, type ServerErrorKind, storeUnavailable } from "@trunkline/store-sql";

/** The number of a server's error; 0 for errors of the driver and of the network. */
function errorNumber(error: unknown): number {
  if (typeof error !== "object" || error === null || !("errno" in error)) return 0;
  return typeof error.errno === "number" && error.errno > 0 ? error.errno : 0;
}

// Deadlock, a row that changed since it was read, a query that was interrupted.
const conflicts = new Set([1213, 1020, 1317]);
// A lock that was waited for.
const busy = new Set([1205, 3572]);
// The server stops, or somebody ended the connection.
const lost = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031]);

export function kindOf(error: unknown): ServerErrorKind {
  const number = errorNumber(error);
  if (number === 1062) return "unique";
  if (number === 1690) return "guard";
  if (conflicts.has(number)) return "conflict";
  if (busy.has(number)) return "busy";
  if (lost.has(number)) return "lost";
  return number === 0 && !TrunklineError.isInstance(error) && isConnectionError(error) ? "lost" : "other";
}

/** Errors of sockets, and the driver's own about connections. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("syscall" in error || ("fatal" in error && error.fatal === true)) return true;
  return /closed state|connection|ECONN|EPIPE|socket/i.test(error.message);
}

const fixes: { readonly [number: number]: string } = {
  1044: "Give this user the right to use the database.",
  1045: "Check the user and its password.",
  1049: "Create the database first.",
  1142: "Give this user the right to create and use tables in this database.",
  1290: "Connect to the primary server: this one is read-only.",
  1836: "Connect to the primary server: this one is read-only.",
  1021: "Free some space on the server's disk.",
  1114: "Free some space on the server's disk.",
  1665: "Set binlog_format to ROW or MIXED on the server.",
};

const missing = new Set([1146, 1054]);
const tooLarge = new Set([1153, 1301, 1406]);
const crowded = new Set([1040, 1203, 1226, 3024, 1969]);

/** Any error of the driver as the store's own; `description` names the database. */
export function toStoreError(error: unknown, description: string): TrunklineError {
  if (TrunklineError.isInstance(error)) return error;
  const number = errorNumber(error);
  if (missing.has(number)) return notMigrated(description, error);
  if (tooLarge.has(number)) {
    return new TrunklineError("store_too_large", `A value is too large for ${description}.`, {
      fix: "Shorten the text, or raise max_allowed_packet on the server.",
      cause: error,
    });
  }
  if (crowded.has(number)) {
    return new TrunklineError("store_busy", `${description} is too busy: ${messageOf(error)}.`, {
      fix: "Allow the server more connections or time, or give this store a smaller pool.",
      retryable: true,
      cause: error,
    });
  }
  return storeUnavailable(description, error, fixes[number]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
