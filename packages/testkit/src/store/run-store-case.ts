import type { SessionStore } from "@trunkline/core";
import type { StoreCase, StoreSuiteOptions } from "./store-case.ts";

/** Whether the declared capabilities allow the case to be asked. */
export function isAsked(one: StoreCase, options: StoreSuiteOptions): boolean {
  return one.requires === undefined || options.capabilities?.[one.requires] === true;
}

/** Runs one case on a database of its own, closes its handles, and rejects with what the store did wrong. */
export async function runStoreCase(one: StoreCase, options: StoreSuiteOptions): Promise<void> {
  const harness = await options.harness({ schema: one.schema ?? "any" });
  const opened: SessionStore[] = [];
  const open = async () => {
    const store = await harness.open();
    opened.push(store);
    if (one.schema !== "none") await store.migrate();
    return store;
  };
  try {
    const store = await open();
    await withLimit(one, options, one.run({ store, harness, open, capabilities: options.capabilities ?? {} }));
  } finally {
    for (const store of opened) await store.close();
    await harness.dispose?.();
  }
}

async function withLimit(one: StoreCase, options: StoreSuiteOptions, work: Promise<void>): Promise<void> {
  const limitMs = (one.timeoutMs ?? 20_000) * (options.timeScale ?? 1);
  let cancel = () => {};
  const limit = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`"${one.name}" did not end within ${limitMs} ms`)), limitMs);
    cancel = () => clearTimeout(timer);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    cancel();
  }
}
