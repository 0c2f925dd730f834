import { deepEqual, equal, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { OfferOutcome } from "@trunkline/core";
import { eventually, pause } from "../eventually.ts";
import type { DispatcherCase } from "./dispatcher-case.ts";

const offer = (id = randomUUID()) => ({ id, lane: "main" as const });

/** Takes every offer at once and notes its id. */
function note(taken: string[], outcome: OfferOutcome = "done") {
  return async (id: string): Promise<OfferOutcome> => {
    taken.push(id);
    return outcome;
  };
}

/** Every rule of `Dispatcher` as a case. */
export const dispatcherCases: readonly DispatcherCase[] = [
  {
    name: "an offer reaches a taker, also one that starts later and in another dispatcher",
    async run({ open }) {
      const [one, other] = [await open(), await open()];
      const taken: string[] = [];
      const run = offer();
      await one.offer(run);
      await other.start(note(taken));
      await eventually(() => taken.length > 0, "the offer was taken", 10_000);
      deepEqual([...new Set(taken)], [run.id]);
    },
  },
  {
    name: "every offer of many is taken, and no two takers work on the same one at the same time",
    async run({ open }) {
      const working = new Set<string>();
      const done = new Set<string>();
      let twice = 0;
      const take = async (id: string): Promise<OfferOutcome> => {
        if (working.has(id)) twice++;
        working.add(id);
        await pause(5);
        working.delete(id);
        done.add(id);
        return "done";
      };
      const [one, other] = [await open(), await open()];
      await Promise.all([one.start(take), other.start(take)]);
      const runs = Array.from({ length: 60 }, () => offer());
      await Promise.all(runs.map((run, index) => (index % 2 ? one : other).offer(run)));
      await eventually(() => done.size === runs.length, `${runs.length} offers were taken`, 20_000);
      equal(twice, 0);
    },
  },
  {
    name: "an offer that is repeated while it waits or is worked on does no harm",
    async run({ open }) {
      const dispatcher = await open();
      const run = offer();
      const taken: string[] = [];
      for (let again = 0; again < 5; again++) await dispatcher.offer(run);
      await dispatcher.start(async (id) => {
        taken.push(id);
        await pause(20);
        return taken.length === 1 ? "done" : "gone";
      });
      await eventually(() => taken.length > 0, "the offer was taken", 10_000);
      await dispatcher.offer(run);
      await pause(100);
      deepEqual([...new Set(taken)], [run.id]);
    },
  },
  {
    name: "an offer that was taken once can be offered and taken again",
    async run({ open }) {
      const dispatcher = await open();
      const run = offer();
      const taken: string[] = [];
      await dispatcher.start(note(taken));
      await dispatcher.offer(run);
      await eventually(() => taken.length === 1, "the first offer was taken", 10_000);
      await eventually(
        async () => {
          await dispatcher.offer(run);
          return taken.length >= 2;
        },
        "the second offer was taken",
        10_000,
      );
    },
  },
  {
    name: "a taker without room gets the offer again later",
    async run({ open }) {
      const dispatcher = await open();
      const taken: string[] = [];
      await dispatcher.start(async (id) => {
        taken.push(id);
        return taken.length < 3 ? "full" : "done";
      });
      await dispatcher.offer(offer());
      await eventually(() => taken.length === 3, "the offer came a third time", 20_000);
      await pause(500);
      equal(taken.length, 3);
    },
  },
  {
    name: "a taker that throws does not stop the offers after it",
    async run({ open }) {
      const dispatcher = await open();
      const taken: string[] = [];
      await dispatcher.start(async (id) => {
        taken.push(id);
        if (taken.length === 1) throw new Error("the store was away");
        return "done";
      });
      await dispatcher.offer(offer());
      await eventually(() => taken.length > 0, "the first offer was taken", 10_000);
      const next = offer();
      await dispatcher.offer(next);
      await eventually(() => taken.includes(next.id), "the next offer was taken", 10_000);
    },
  },
  {
    name: "stop takes nothing more and waits for what was taken",
    async run({ open }) {
      const dispatcher = await open();
      const finish = Promise.withResolvers<void>();
      let [began, ended] = [false, false];
      await dispatcher.start(async () => {
        began = true;
        await finish.promise;
        ended = true;
        return "done";
      });
      await dispatcher.offer(offer());
      await eventually(() => began, "the offer was taken", 10_000);
      let over = false;
      const stopped = dispatcher.stop().then(() => {
        over = true;
      });
      await pause(100);
      equal(over, false);
      finish.resolve();
      await stopped;
      ok(ended);
    },
  },
  {
    name: "what a wipe threw away can be offered again",
    requires: "wipe",
    async run({ open, harness }) {
      const dispatcher = await open();
      const run = offer();
      await dispatcher.offer(run);
      await harness.wipe?.();
      const taken: string[] = [];
      await dispatcher.start(note(taken));
      await dispatcher.offer(run);
      await eventually(() => taken.length > 0, "the offer was taken", 10_000);
    },
  },
  {
    name: "an offer whose taker was killed at work reaches another one",
    requires: "dieWhileTaking",
    async run({ open, harness }) {
      const dispatcher = await open();
      const run = offer();
      await dispatcher.offer(run);
      await harness.dieWhileTaking?.();
      const taken: string[] = [];
      await dispatcher.start(note(taken));
      await eventually(() => taken.includes(run.id), "the offer reached the survivor", 30_000);
    },
  },
];
