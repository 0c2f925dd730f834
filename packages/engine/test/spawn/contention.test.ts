import type { StoreTransaction } from "@trunkline/core";
import { expect, test } from "vitest";
import { emptyStore, hang, openHarness } from "../harness.ts";
import { racingStore } from "../racing-store.ts";
import { completions, main, spawn, spawnIn, spawnsOf } from "./family.ts";

const wide = {
  agents: {
    defaults: { subagents: { maxSpawnDepth: 2, maxChildrenPerAgent: 500, maxConcurrent: 100 } },
    list: [{ id: "a" }],
  },
};

test("many children of one session that end at once all settle without losing a turn", async () => {
  const h = await openHarness({ config: wide, script: { child: "r", child_announce: "ANNOUNCE_SKIP" } });
  await Promise.all(Array.from({ length: 60 }, (_, index) => spawn(h, main, { task: `part ${index}` })));
  await h.trunkline.waitForIdle({ timeoutMs: 80_000 });
  const spawns = await spawnsOf(h, main);
  expect(spawns.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 60 }, () => "success"));
  expect(await completions(h, main)).toHaveLength(60);
});

/** Whether a transaction settles a child with this task. */
const settles = (transaction: StoreTransaction, entryId: string) =>
  transaction.sessions?.some(({ append }) =>
    append?.some(({ messages }) => messages.some(({ id }) => id === entryId)),
  ) ?? false;

test("a sub-agent that ends just before its last child's settlement is committed is still continued", async () => {
  const plain = await emptyStore();
  const end = Promise.withResolvers<string>();
  const part = Promise.withResolvers<string>();
  let entryId = "";
  let childRow = "";
  let raced = false;
  const store = racingStore(plain, async (transaction) => {
    if (raced || entryId === "" || !settles(transaction, entryId)) return;
    raced = true;
    end.resolve("ended while its child settles");
    for (let look = 0; look < 1000; look++) {
      const [[spawned]] = await plain.read([{ find: "spawn", index: "child", equals: [childRow], limit: 1 }]);
      if (spawned?.state === "waiting_children") return;
      await new Promise((next) => setImmediate(next));
    }
  });
  const h = await openHarness({ store, config: wide, script: { child_announce: "", continuation: "continued" } });
  h.script({
    child: (request) => (request.session.spawnDepth === 1 ? end.promise : part.promise),
    send: async (request) => {
      await spawnIn(request, { task: "guest's part" });
      return "guest answer";
    },
  });
  const child = await spawn(h, main, { task: "whole" });
  await h.advance(0);
  childRow = (await h.session(child.childSessionKey)).id;
  h.script({ [`${child.childSessionKey} inbound`]: hang });
  const { id: requesterRow } = await h.session(child.childSessionKey);
  const guest = await spawn(h, child.childSessionKey, { task: "guest's part" });
  await h.advance(0);
  const [[spawned]] = await plain.read([{ find: "spawn", index: "runId", equals: [guest.runId], limit: 1 }]);
  entryId = spawned?.entryId ?? "";
  part.resolve("part result");
  await h.settle();
  expect(raced).toBe(true);
  expect(spawned?.requesterRow).toBe(requesterRow);
  expect((await completions(h, main))[0]).toContain("Result: continued");
});
