import { TrunklineError } from "@trunkline/core";
import { notMigrated, type ServerErrorKind, storeUnavailable } from "@trunkline/store-sql";
import { poolerState } from "./pooler-state.ts";

/** The five characters of a server's error; empty for errors of the driver and of the network. */
export function sqlState(error: unknown): string {
  // EPIPE looks like a state, and is an error of the network.
  if (typeof error !== "object" || error === null || !("code" in error) || "syscall" in error) return "";
  if (typeof error.code !== "string" || !/^[0-9A-Z]{5}$/.test(error.code)) return "";
  return error.code === "08P01" ? (poolerState(messageOf(error)) ?? error.code) : error.code;
}

/** The connection ends with this error. */
export function isFatal(error: unknown): boolean {
  return typeof error === "object" && error !== null && "severity" in error && error.severity === "FATAL";
}

const conflicts = new Set(["40001", "40P01"]);
// A server that shuts down, starts or has no connection left, a connection that broke, and statements that belonged to
// another connection.
const lost = new Set(["53300", "57P01", "57P02", "57P03", "57P05", "26000", "25P03"]);

export function kindOf(error: unknown): ServerErrorKind {
  const state = sqlState(error);
  if (state === "23505") return "unique";
  if (state === "22P02" && messageOf(error).includes("guard:")) return "guard";
  if (conflicts.has(state)) return "conflict";
  if (state === "55P03") return "busy";
  if (lost.has(state) || state.startsWith("08") || isStalePlan(state, error)) return "lost";
  return state === "" && !TrunklineError.isInstance(error) && isConnectionError(error) ? "lost" : "other";
}

/** Another process changed a table since this connection planned a statement. */
function isStalePlan(state: string, error: unknown): boolean {
  return state === "0A000" && messageOf(error).includes("cached plan");
}

/** Errors of sockets, and the driver's own about connections, which have no code. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("syscall" in error) return true;
  return /connection|timeout exceeded when trying to connect|not queryable|socket|ECONN|EPIPE/i.test(error.message);
}

const behindPooler =
  "Behind a pooler that shares connections between transactions, open the store with `transactionPooler: true`.";

const fixes: { readonly [state: string]: string } = {
  "26000": behindPooler,
  "42P05": behindPooler,
  "42704": `${behindPooler} Leave other settings of the connection out of the url.`,
  "28000": "Check the user and its right to connect.",
  "28P01": "Check the user and its password.",
  "3D000": "Create the database first.",
  "42501": "Give this user the right to create and use tables in this schema.",
  "25006": "Connect to the primary server: this one is read-only.",
  "53100": "Free some space on the server's disk.",
};

const missing = new Set(["42P01", "42703", "3F000"]);
const crowded = new Set(["53300", "57014"]);

/** Any error of the driver as the store's own; `description` names the database. */
export function toStoreError(error: unknown, description: string): TrunklineError {
  if (TrunklineError.isInstance(error)) return error;
  const state = sqlState(error);
  if (missing.has(state)) return notMigrated(description, error);
  if (state === "54000") {
    return new TrunklineError("store_too_large", `A value is too large for ${description}.`, { cause: error });
  }
  if (crowded.has(state)) {
    return new TrunklineError("store_busy", `${description} is too busy: ${messageOf(error)}.`, {
      fix: "Allow the server more connections or time, or give this store a smaller pool.",
      retryable: true,
      cause: error,
    });
  }
  return storeUnavailable(description, error, fixes[state]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
