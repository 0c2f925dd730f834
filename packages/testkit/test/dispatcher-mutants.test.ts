import type { Dispatcher, OfferOutcome } from "@trunkline/core";
import { expect, test } from "vitest";
import { type DispatcherHarness, dispatcherCases, runDispatcherCase, testDispatcher } from "../src/index.ts";

type Fault = "loses full offers" | "delivers twice" | "forgets late takers" | "stops at a throw" | "stops at once";

/** A dispatcher within one process; `fault` breaks one rule of it. */
function localPlace(fault?: Fault): DispatcherHarness {
  const waiting: string[] = [];
  const takers = new Set<() => void>();
  const wake = () => {
    for (const taker of [...takers]) taker();
  };
  return { open: () => openDispatcher({ waiting, takers, wake }, fault) };
}

interface Place {
  readonly waiting: string[];
  readonly takers: Set<() => void>;
  wake(): void;
}

function openDispatcher({ waiting, takers, wake }: Place, fault: Fault | undefined): Dispatcher {
  const working = new Set<Promise<void>>();
  let pump: (() => void) | undefined;
  async function work(id: string, take: (id: string) => Promise<OfferOutcome>): Promise<void> {
    try {
      const outcome = await take(id);
      if (outcome !== "full" || fault === "loses full offers") return;
      setTimeout(() => {
        waiting.push(id);
        wake();
      }, 20);
    } catch {
      if (fault === "stops at a throw" && pump) takers.delete(pump);
    }
  }
  return {
    async offer({ id }) {
      if (takers.size === 0 && fault === "forgets late takers") return;
      waiting.push(id);
      if (fault === "delivers twice") waiting.push(id);
      wake();
    },
    async start(take) {
      pump = () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          const done = work(id, take);
          working.add(done);
          void done.finally(() => working.delete(done));
        }
      };
      takers.add(pump);
      pump();
    },
    async stop() {
      if (pump) takers.delete(pump);
      if (fault !== "stops at once") await Promise.all([...working]);
    },
  };
}

testDispatcher({ name: "within one process", harness: () => localPlace() });

const caught: Readonly<Record<Fault, string>> = {
  "loses full offers": "a taker without room gets the offer again later",
  "delivers twice": "every offer of many is taken, and no two takers work on the same one at the same time",
  "forgets late takers": "an offer reaches a taker, also one that starts later and in another dispatcher",
  "stops at a throw": "a taker that throws does not stop the offers after it",
  "stops at once": "stop takes nothing more and waits for what was taken",
};

for (const [fault, name] of Object.entries(caught) as [Fault, string][]) {
  test(`a dispatcher that ${fault} is caught by: ${name}`, { timeout: 60_000 }, async () => {
    const one = dispatcherCases.find((candidate) => candidate.name === name);
    if (!one) throw new Error("no such case");
    await expect(runDispatcherCase(one, { name: fault, harness: () => localPlace(fault) })).rejects.toThrow();
  });
}
