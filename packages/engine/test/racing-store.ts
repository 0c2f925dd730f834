import type { SessionStore, StoreTransaction } from "@trunkline/core";

/** The same store, with something that happens just before a commit: the race that guards are there for. */
export function racingStore(
  store: SessionStore,
  before: (transaction: StoreTransaction) => Promise<void> | void,
): SessionStore {
  return new Proxy(store, {
    get(target, property) {
      if (property === "commit") {
        return async (transaction: StoreTransaction) => {
          await before(transaction);
          return target.commit(transaction);
        };
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Whether a transaction inserts a record of a kind. */
export function inserts(transaction: StoreTransaction, kind: string): boolean {
  return transaction.records?.some((record) => "insert" in record && record.kind === kind) ?? false;
}
