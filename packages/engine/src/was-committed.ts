import { type ReadRequest, recordTables, type SessionStore, type StoreTransaction } from "@trunkline/core";

const looks = 3;
const lookAgainMs = 100;

/**
 * Whether a transaction whose connection died during the commit took effect: one of the rows that it alone would have
 * made is there, or not. `undefined` for a transaction that makes no row; it only moves states, so deciding again is safe.
 */
export async function wasCommitted(store: SessionStore, transaction: StoreTransaction): Promise<boolean | undefined> {
  const witness = witnessOf(transaction);
  if (!witness) return undefined;
  // The server may still be at work on the commit for a moment after the connection is gone.
  for (let look = 1; ; look++) {
    const [found] = await store.read([witness]);
    if (found !== undefined) return true;
    if (look === looks) return false;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

function witnessOf({ sessions = [], records = [] }: StoreTransaction): ReadRequest | undefined {
  for (const { enqueue, append, create, id } of sessions) {
    const run = enqueue?.[0];
    if (run) return { get: "run", key: run.id };
    const message = append?.[0]?.messages[0];
    if (message) return { get: "message", key: message.id };
    if (create) return { get: "session", key: id };
  }
  for (const write of records) {
    if (!("insert" in write)) continue;
    const row: Readonly<Record<string, unknown>> = { ...write.insert };
    const key = recordTables[write.kind].key.map((column) => String(row[column])).join("\n");
    return { get: write.kind, key };
  }
  return undefined;
}
