import type { RecordWrite, SessionStore, SessionWrite, StoreTransaction } from "@trunkline/core";

/** The store with some of its methods replaced; the replacements get the whole store. */
export function override(store: SessionStore, methods: Partial<SessionStore>): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      const replaced: unknown = Reflect.get(methods, name);
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** A store that hands over another transaction than it was given. */
export const rewriting = (rewrite: (transaction: StoreTransaction) => StoreTransaction) => (store: SessionStore) =>
  override(store, { commit: (transaction) => store.commit(rewrite(transaction)) });

/** A store that changes each session write. */
export const rewritingSessions = (rewrite: (write: SessionWrite) => SessionWrite) =>
  rewriting((transaction) => ({ ...transaction, sessions: (transaction.sessions ?? []).map(rewrite) }));

/** A store that changes each record write. */
export const rewritingRecords = (rewrite: (write: RecordWrite) => RecordWrite) =>
  rewriting((transaction) => ({ ...transaction, records: (transaction.records ?? []).map(rewrite) }));

/** The object without some of its properties. */
export function without<T extends object>(value: T, ...names: readonly string[]): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as T;
}
