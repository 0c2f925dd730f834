import { type SessionStore, TrunklineError } from "@trunkline/core";
import { expect, test } from "vitest";
import { emptyStore, openHarness } from "./harness.ts";

/** A store whose connection dies during the next commit that enqueues a run, before or after it took effect. */
async function dying(tookEffect: boolean): Promise<SessionStore & { readonly deaths: number }> {
  const store = await emptyStore();
  let deaths = 0;
  return {
    ...store,
    get deaths() {
      return deaths;
    },
    async commit(transaction) {
      const admits = transaction.sessions?.some(({ enqueue }) =>
        enqueue?.some(({ kind }) => kind === "inbound" || kind === "send"),
      );
      if (!admits || deaths > 0) return store.commit(transaction);
      deaths++;
      if (tookEffect) await store.commit(transaction);
      throw new TrunklineError("store_outcome_unknown", "the connection died", { retryable: true });
    },
  };
}

for (const tookEffect of [true, false]) {
  test(`a commit whose connection died ${tookEffect ? "after" : "before"} it took effect is there exactly once`, async () => {
    const store = await dying(tookEffect);
    const harness = await openHarness({ store, script: { default: "hi" } });
    await harness.human("agent:a:main", "hello");
    await harness.settle();
    expect(store.deaths).toBe(1);
    expect(await harness.transcript("agent:a:main")).toEqual(["user: hello", "assistant: hi"]);
    expect(harness.runner.requests).toHaveLength(1);
  });
}
