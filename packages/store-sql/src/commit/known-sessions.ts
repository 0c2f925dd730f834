import type { StoreTransaction } from "@trunkline/core";
import { searchedProperties } from "../search/fold-text.ts";
import type { SessionState } from "./session-plan.ts";

export interface KnownSession {
  readonly state: SessionState;
  readonly stamp: number;
}

export type KnownSessions = ReadonlyMap<string, KnownSession>;

/**
 * Session rows as this process last wrote them. A commit may be worked out from them without a look at the database,
 * since the update of the row is guarded by what the last one left there. A version alone would not do: a server that
 * lost its newest commits gives the same version to another row.
 */
export interface SessionMemory {
  /** The rows of all sessions of a transaction; undefined when it has to read something before it writes them. */
  recall(transaction: StoreTransaction): KnownSessions | undefined;
  remember(rows: KnownSessions): void;
  forget(rows: KnownSessions): void;
  /** Another process writes to these sessions: they are read for a while. */
  distrust(rows: KnownSessions): void;
}

const maxSessions = 2000;
const distrustedCommits = 8;

export function createSessionMemory(): SessionMemory {
  const rows = new Map<string, KnownSession>();
  const distrusted = new Map<string, number>();

  function recallRow(id: string): KnownSession | undefined {
    const left = distrusted.get(id) ?? 0;
    if (left === 0) return rows.get(id);
    if (left === 1) distrusted.delete(id);
    else distrusted.set(id, left - 1);
    return undefined;
  }

  return {
    recall(transaction) {
      if (!isPlannedByRow(transaction)) return undefined;
      const known = new Map<string, KnownSession>();
      for (const { id } of transaction.sessions ?? []) {
        const row = recallRow(id);
        if (row === undefined) return undefined;
        known.set(id, row);
      }
      return known.size === 0 ? undefined : known;
    },
    remember(written) {
      for (const [id, row] of written) {
        rows.delete(id);
        rows.set(id, row);
      }
      for (const id of rows.keys()) {
        if (rows.size <= maxSessions) break;
        rows.delete(id);
        distrusted.delete(id);
      }
    },
    forget(known) {
      for (const id of known.keys()) rows.delete(id);
    },
    distrust(known) {
      for (const id of known.keys()) {
        rows.delete(id);
        distrusted.set(id, distrustedCommits);
      }
    },
  };
}

/** Nothing but the session's row decides what is written to it. */
function isPlannedByRow({ sessions = [] }: StoreTransaction): boolean {
  return sessions.every(
    ({ create, copy, unpark, set }) =>
      create === undefined &&
      copy === undefined &&
      unpark === undefined &&
      searchedProperties.every((property) => set?.[property] === undefined),
  );
}
