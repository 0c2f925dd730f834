import type { SessionStore } from "@trunkline/core";

/** What a store, or its harness, must be able to do for some cases to be asked of it. */
export interface StoreCapabilities {
  /** `open()` may be called again for a second handle on the same database. */
  readonly shared?: boolean;
  /** One `read` of several rows sees one state of the database, whatever is committed meanwhile. */
  readonly snapshots?: boolean;
  /** The harness implements `corrupt`. */
  readonly corruption?: boolean;
  /** The harness implements `cutConnections`. */
  readonly connections?: boolean;
}
export type StoreCapability = keyof StoreCapabilities;

/** One database for one case. */
export interface StoreHarness {
  /** Opens a handle on this database; the suite migrates and closes what it opens. */
  open(): Promise<SessionStore>;
  /** Removes the database. */
  dispose?(): Promise<void>;
  /** Overwrites the stored body of a message with bytes that are not JSON. */
  corrupt?(messageId: string): Promise<void>;
  /** Ends every connection to the database from outside, as a restart of the server does. */
  cutConnections?(): Promise<void>;
}

export interface StoreSuiteOptions {
  /** Heads the report, e.g. `sqlite`. */
  readonly name: string;
  /** Cases that need anything else are skipped and counted as such. */
  readonly capabilities?: StoreCapabilities;
  /** Gives an empty database, for each case anew; with `schema: "none"` one that holds no table yet. */
  harness(need: { readonly schema: "any" | "none" }): Promise<StoreHarness>;
  /** Multiplies every time limit; default 1. */
  readonly timeScale?: number;
}

/** What a case works with: a migrated handle, and more handles on the same database. */
export interface StoreBench {
  readonly store: SessionStore;
  readonly harness: StoreHarness;
  readonly capabilities: StoreCapabilities;
  /** Another migrated handle; closed with the case. */
  open(): Promise<SessionStore>;
}

/** A rule of the store as data: `run` rejects where a store breaks it. */
export interface StoreCase {
  readonly name: string;
  readonly subject: string;
  readonly requires?: StoreCapability;
  /** The case migrates by itself, from a database without tables. */
  readonly schema?: "none";
  /** Default 20 000. */
  readonly timeoutMs?: number;
  run(bench: StoreBench): Promise<void>;
}

/** Names the subject of several cases at once. */
export function casesOf(subject: string, cases: readonly Omit<StoreCase, "subject">[]): readonly StoreCase[] {
  return cases.map((one) => ({ ...one, subject }));
}
