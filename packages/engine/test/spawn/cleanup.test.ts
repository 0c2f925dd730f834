import { DeliveryError, TrunklineError } from "@trunkline/core";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { answerAfter, hang, openHarness } from "../harness.ts";
import { racingStore } from "../racing-store.ts";
import { childKey, completions, main, spawn, spawnIn, spawning, spawnsOf } from "./family.ts";

const minute = 60_000;
const slack = { channel: "slack", threads: true } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;
const deep = {
  agents: { defaults: { subagents: { maxSpawnDepth: 2, archiveAfterMinutes: 6 } }, list: [{ id: "a" }] },
};

test("scenario 38: cleanup delete removes the child only when its completion has been delivered; keep leaves it", async () => {
  let open = false;
  const h = await openHarness({
    channels: [
      {
        ...slack,
        onSend: () => {
          if (!open) throw new DeliveryError("retryable", "slow down");
          return undefined;
        },
      },
    ],
    script: { child: "r", child_announce: "s" },
  });
  h.script({ [`${main} inbound`]: spawning([{ task: "work", cleanup: "delete" }, { task: "other" }]) });
  await h.trunkline.receive(asked);
  await h.settle();
  const [deleted, kept] = await spawnsOf(h, main);
  const key = deleted ? await childKey(h, deleted) : "";
  await h.advance(10_000);
  expect(await h.find(key)).toBeDefined();
  open = true;
  await h.advance(minute);
  expect(h.channel("slack").sent).toHaveLength(2);
  expect(await h.find(key)).toBeUndefined();
  expect(kept && (await childKey(h, kept))).toMatch(/^agent:a:subagent:/);
  expect(await completions(h, main)).toHaveLength(2);
});

test("B92: cleanup is honoured for children of every kind of requester, at every depth, and takes nobody else along", async () => {
  const h = await openHarness({ config: deep, script: { child_announce: "ANNOUNCE_SKIP", continuation: "" } });
  h.script({
    child: async (request) => {
      if (request.session.spawnDepth === 1 && request.prompt.includes("parent"))
        await spawnIn(request, { task: "grandchild", cleanup: "delete" });
      return "r";
    },
  });
  const requesters = [main, "agent:a:slack:group:c1", "cron:nightly", "hook:9b2d", "node-7"];
  const deleted: string[] = [];
  const kept: string[] = [];
  for (const from of requesters) {
    if (from.startsWith("cron")) {
      await h.trunkline.submit({ sessionKey: from, agentId: "a", text: "hello", actor: "system" });
    }
    deleted.push((await spawn(h, from, { task: "work", cleanup: "delete" })).childSessionKey);
    kept.push((await spawn(h, from, { task: "parent" })).childSessionKey);
  }
  await h.advance(60_000);
  await h.settle();
  for (const key of deleted) expect(await h.find(key), key).toBeUndefined();
  for (const key of [...requesters, ...kept]) expect(await h.find(key), key).toBeDefined();
  for (const key of kept) {
    const [grandchild] = await spawnsOf(h, key);
    expect(grandchild).toMatchObject({ state: "settled", cleanup: "delete" });
    expect(grandchild && (await childKey(h, grandchild))).toMatch(/^$|^~deleted/);
  }
});

test("B93: the usage of a deleted child stays counted with its parent", async () => {
  const h = await openHarness();
  h.script({
    child: () => ({ text: "r", usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.25 } }),
    child_announce: () => ({ text: "ANNOUNCE_SKIP", usage: { inputTokens: 10, outputTokens: 2 } }),
  });
  const child = await spawn(h, main, { task: "work", cleanup: "delete" });
  await h.advance(60_000);
  expect(await h.find(child.childSessionKey)).toBeUndefined();
  const status = await h.call(main, "session_status", {});
  expect("details" in status && status.details.usage).toMatchObject({
    inputTokens: 110,
    outputTokens: 22,
    totalTokens: 132,
    costUsd: 0.25,
  });
});

test("B94: a deletion that fails is tried again, and then removes the child", async () => {
  let failures = 0;
  const plain = await createSqliteStore({ path: ":memory:" });
  onTestFinished(() => plain.close());
  const store = racingStore(plain, (transaction) => {
    if (transaction.sessions?.some(({ set }) => set?.archived === 2) && failures < 2) {
      failures++;
      throw new TrunklineError("store_unavailable", "the database went away", { retryable: true });
    }
  });
  const h = await openHarness({ store, script: { child: "r", child_announce: "s" } });
  const child = await spawn(h, main, { task: "work", cleanup: "delete" });
  await h.settle();
  expect(failures).toBeGreaterThan(0);
  expect(await h.find(child.childSessionKey)).toBeDefined();
  await h.advance(30_000);
  expect(await h.find(child.childSessionKey)).toBeUndefined();
});

test("a child that is to be deleted is not taken away from a message that it is answering", async () => {
  const h = await openHarness({ script: { child: "r", child_announce: hang } });
  const child = await spawn(h, main, { task: "work", cleanup: "delete" });
  await h.advance(0);
  h.script({ [`${child.childSessionKey} send`]: answerAfter(h.clock, 60_000, "still here") });
  const sending = h.send(main, child.childSessionKey, "one more thing", { timeoutSeconds: 200 });
  await h.advance(180_000);
  expect(await sending).toMatchObject({ status: "ok", reply: "still here" });
  await h.advance(60_000);
  expect(await h.find(child.childSessionKey)).toBeUndefined();
});

test("the intent of a thread whose child never came to be is forgotten", async () => {
  const h = await openHarness({ channels: [slack] });
  await h.store.commit({
    at: h.clock.now(),
    records: [
      {
        kind: "binding",
        insert: {
          routeHash: "0123456789abcdef0123456789abcdef0123",
          sessionRow: null,
          route: { channel: "slack", to: "U1", threadId: "T1" },
          state: "creating",
          owner: null,
          expiresAt: h.clock.now() + 120_000,
        },
      },
    ],
  });
  const intents = () => h.store.read([{ find: "binding", index: "expiry", equals: [], limit: 10 }]);
  await h.advance(100_000);
  expect((await intents())[0]).toHaveLength(1);
  await h.advance(100_000);
  expect((await intents())[0]).toEqual([]);
});
