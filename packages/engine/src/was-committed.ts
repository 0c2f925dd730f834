import {
  type ReadRequest,
  type RecordWrite,
  recordTables,
  type SessionStore,
  type StoreTransaction,
} from "@trunkline/core";

const looks = 3;
const lookAgainMs = 100;

/**
 * Whether a transaction whose connection died during the commit took effect: a row that it alone would have made is there,
 * or a row has become what it alone would have made of it. `undefined` for a transaction that only removes rows, which
 * can be decided again without harm.
 */
export async function wasCommitted(store: SessionStore, transaction: StoreTransaction): Promise<boolean | undefined> {
  const witness = newRow(transaction) ?? changedRow(transaction.records ?? []);
  if (!witness) return undefined;
  // The server may still be at work on the commit for a moment after the connection is gone.
  for (let look = 1; ; look++) {
    const [found] = await store.read([witness.read]);
    if (found !== undefined && holds({ ...found }, witness.fields)) return true;
    if (look === looks) return false;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

interface Witness {
  readonly read: ReadRequest;
  readonly fields: Readonly<Record<string, unknown>>;
}

function newRow({ sessions = [], records = [] }: StoreTransaction): Witness | undefined {
  const there = (read: ReadRequest): Witness => ({ read, fields: {} });
  for (const { enqueue, append, create, id } of sessions) {
    const run = enqueue?.[0];
    if (run) return there({ get: "run", key: run.id });
    const message = append?.[0]?.messages[0];
    if (message) return there({ get: "message", key: message.id });
    if (create) return there({ get: "session", key: id });
  }
  for (const write of records) {
    if (!("insert" in write)) continue;
    const row: Readonly<Record<string, unknown>> = { ...write.insert };
    const key = recordTables[write.kind].key.map((column) => String(row[column])).join("\n");
    return there({ get: write.kind, key });
  }
  return undefined;
}

/** Claims, starts and attempts make no row, but name their process, fence, or time in one. */
function changedRow(records: readonly RecordWrite[]): Witness | undefined {
  for (const write of records) {
    if (!("set" in write) || write.set === undefined || Object.keys(write.set).length === 0) continue;
    return { read: { get: write.kind, key: write.key }, fields: { ...write.set } };
  }
  return undefined;
}

function holds(row: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).every(([column, value]) => JSON.stringify(row[column]) === JSON.stringify(value));
}
