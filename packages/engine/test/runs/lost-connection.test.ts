import { type StoreTransaction, TrunklineError } from "@trunkline/core";
import { expect, test } from "vitest";
import { emptyStore, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";

const chat = { channel: "telegram", peer: { kind: "direct", id: "7" }, text: "hello" } as const;

const steps: readonly (readonly [string, (transaction: StoreTransaction) => boolean])[] = [
  ["claim", (transaction) => sets(transaction, "claimed")],
  ["start", (transaction) => sets(transaction, "running")],
  ["end", (transaction) => sets(transaction, "ok")],
  ["attempt to deliver", (transaction) => sets(transaction, "sending")],
  ["receipt", (transaction) => sets(transaction, "delivered")],
];

function sets({ records }: StoreTransaction, state: string): boolean {
  return (
    records?.some((write) => "set" in write && write.set && "state" in write.set && write.set.state === state) ?? false
  );
}

for (const [name, matches] of steps) {
  for (const tookEffect of [true, false]) {
    test(`a connection that dies ${tookEffect ? "after" : "before"} a ${name} took effect costs nothing and repeats nothing`, async () => {
      const store = await emptyStore();
      let deaths = 0;
      const harness = await openHarness({
        store: {
          ...store,
          async commit(transaction) {
            if (!matches(transaction) || deaths > 0) return store.commit(transaction);
            deaths++;
            if (tookEffect) await store.commit(transaction);
            throw new TrunklineError("store_outcome_unknown", "the connection died", { retryable: true });
          },
        },
        channels: [{ channel: "telegram" }],
        script: { default: "hi" },
      });
      await harness.trunkline.receive(chat);
      await harness.settle();
      expect(deaths).toBe(1);
      expect(harness.runner.requests).toHaveLength(1);
      expect(harness.channel("telegram").sent.map(({ text }) => text)).toEqual(["hi"]);
      expect(await harness.transcript("agent:a:main")).toEqual(["user: hello", "assistant: hi"]);
      expect(await findViolations(store)).toEqual([]);
    });
  }
}
