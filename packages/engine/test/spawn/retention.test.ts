import { DeliveryError, TrunklineError } from "@trunkline/core";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { answerAfter, type callTool, databaseFile, type Harness, openHarness } from "../harness.ts";
import { racingStore } from "../racing-store.ts";
import { childKey, completions, main, spawn, spawnIn, spawning, spawnsOf } from "./family.ts";

const minute = 60_000;
const slack = { channel: "slack", threads: true } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;
const deep = {
  agents: { defaults: { subagents: { maxSpawnDepth: 2, archiveAfterMinutes: 6 } }, list: [{ id: "a" }] },
};
const after = (archiveAfterMinutes: number) => ({
  agents: { defaults: { subagents: { archiveAfterMinutes } }, list: [{ id: "a" }] },
});

const isArchived = async (h: Harness, key: string) => (await h.session(key)).archived === 1;

test("scenario 38: a child is there until sixty minutes after its end, and is then archived", async () => {
  const h = await openHarness({ script: { child: "r", child_announce: "s" } });
  const child = await spawn(h, main, { task: "work" });
  await h.settle();
  await h.advance(60 * minute - 1);
  expect(await isArchived(h, child.childSessionKey)).toBe(false);
  const before = await h.session(child.childSessionKey);
  await h.advance(1);
  expect(await h.session(child.childSessionKey)).toMatchObject({ archived: 1, updatedAt: before.updatedAt });
  expect((await h.stateEvents(child.childSessionKey)).at(-1)).toMatchObject({ kind: "archived", actorKind: "system" });
  expect(await isArchived(h, main)).toBe(false);
});

test("B90: an archived child is listed among the archived, and its transcript can be read", async () => {
  const h = await openHarness({ config: after(1), script: { child: "the result", child_announce: "s" } });
  const child = await spawn(h, main, { task: "work" });
  await h.settle();
  await h.advance(minute);
  const live = await h.call(main, "sessions_list", {});
  expect("sessions" in live && live.sessions.map(({ key }) => key)).toEqual([main]);
  const archived = await h.call(main, "sessions_list", { archived: true });
  expect("sessions" in archived && archived.sessions.map(({ key }) => key)).toEqual([child.childSessionKey]);
  const history = await h.call(main, "sessions_history", { sessionKey: child.childSessionKey });
  expect("messages" in history && history.messages.map(({ content }) => content)).toContain("the result");
  expect(await h.send(main, child.childSessionKey, "hello?")).toMatchObject({ status: "error", code: "archived" });
});

test("B90: the time is today's configuration's, not that of the spawn; 0 is never", async () => {
  const { open } = databaseFile();
  const first = await openHarness({
    store: await open(),
    config: after(0),
    script: { child: "r", child_announce: "s" },
  });
  const child = await spawn(first, main, { task: "work" });
  await first.settle();
  await first.advance(20 * minute);
  expect(await isArchived(first, child.childSessionKey)).toBe(false);
  await first.trunkline.stop();
  const second = await openHarness({ store: await open(), clock: first.clock, config: after(24) });
  await second.advance(4 * minute - 1);
  expect(await isArchived(second, child.childSessionKey)).toBe(false);
  await second.advance(1);
  expect(await isArchived(second, child.childSessionKey)).toBe(true);
});

test("B91: the clock of a long run starts at its end", async () => {
  const h = await openHarness({ config: after(6) });
  h.script({ child: answerAfter(h.clock, 9 * minute, "r"), child_announce: "s" });
  const child = await spawn(h, main, { task: "work" });
  await h.advance(9 * minute);
  await h.settle();
  await h.advance(6 * minute - 1);
  expect(await isArchived(h, child.childSessionKey)).toBe(false);
  await h.advance(1);
  expect(await isArchived(h, child.childSessionKey)).toBe(true);
});

test("scenario 38: a child is not archived while its own children go on, nor while its completion is not delivered", async () => {
  const nested = await openHarness({ config: deep });
  nested.script({
    child: async (request) => {
      if (request.session.spawnDepth === 2) return answerAfter(nested.clock, 10 * minute, "part")(request);
      await spawnIn(request, { task: "part" });
      throw new Error("it broke, its child goes on");
    },
  });
  const parent = await spawn(nested, main, { task: "whole" });
  await nested.advance(9 * minute);
  expect((await spawnsOf(nested, main))[0]).toMatchObject({ state: "settled", outcome: "error" });
  expect(await isArchived(nested, parent.childSessionKey)).toBe(false);
  await nested.advance(3 * minute);
  expect(await isArchived(nested, parent.childSessionKey)).toBe(true);

  const stuck = await openHarness({
    config: after(1),
    channels: [
      {
        ...slack,
        onSend: () => {
          throw new DeliveryError("retryable", "slow down");
        },
      },
    ],
    script: { child: "r", child_announce: "s" },
  });
  stuck.script({ [`${main} inbound`]: spawning(["work"]) });
  await stuck.trunkline.receive(asked);
  await stuck.settle();
  const [spawned] = await spawnsOf(stuck, main);
  const key = spawned ? await childKey(stuck, spawned) : "";
  await stuck.advance(20 * minute);
  expect(await isArchived(stuck, key)).toBe(false);
  await stuck.advance(15 * minute);
  expect(await isArchived(stuck, key)).toBe(true);
});

test("a child in mode session is archived after its last message, comes back with the next, and goes again", async () => {
  const h = await openHarness({ config: after(6), channels: [slack], script: { child: "r", child_announce: "s" } });
  h.script({ [`${main} inbound`]: "hi", inbound: "in the thread" });
  await h.trunkline.receive(asked);
  await h.settle();
  const { childSessionKey } = await spawn(h, main, { task: "work", thread: true });
  await h.settle();
  const inThread = { ...asked, threadId: "slack-thread-1", text: "still there?" };
  await h.advance(5 * minute);
  await h.trunkline.receive(inThread);
  await h.advance(5 * minute);
  expect(await isArchived(h, childSessionKey)).toBe(false);
  await h.advance(minute);
  expect(await isArchived(h, childSessionKey)).toBe(true);
  expect((await h.trunkline.receive(inThread)).sessionKey).toBe(childSessionKey);
  await h.settle();
  expect(await isArchived(h, childSessionKey)).toBe(false);
  expect(h.channel("slack").sent.at(-1)).toMatchObject({
    text: "in the thread",
    route: { threadId: "slack-thread-1" },
  });
  await h.advance(13 * minute);
  expect(await isArchived(h, childSessionKey)).toBe(true);
});

test("a child that an operator takes out of the archive stays out of it", async () => {
  const { open } = databaseFile();
  const config = after(2);
  const h = await openHarness({ store: await open(), config, script: { child: "r", child_announce: "s" } });
  const child = await spawn(h, main, { task: "work" });
  await h.settle();
  await h.advance(2 * minute);
  await h.trunkline.patchSession(child.childSessionKey, { archived: false });
  await h.advance(4 * minute);
  expect(await isArchived(h, child.childSessionKey)).toBe(false);
  await h.trunkline.stop();
  const later = await openHarness({ store: await open(), config, clock: h.clock });
  await later.advance(4 * minute);
  expect(await isArchived(later, child.childSessionKey)).toBe(false);
});

test("scenario 38: the time survives a restart, and more children than a page holds are all archived", async () => {
  const { open } = databaseFile();
  const config = {
    agents: { defaults: { subagents: { maxChildrenPerAgent: 500, maxConcurrent: 50 } }, list: [{ id: "a" }] },
  };
  const h = await openHarness({ store: await open(), config, script: { child: "", child_announce: "ANNOUNCE_SKIP" } });
  for (let index = 0; index < 260; index++) await h.call(main, "sessions_spawn", { task: `part ${index}` });
  await h.advance(0);
  await h.trunkline.waitForIdle({ timeoutMs: 45_000 });
  await h.trunkline.stop();
  await h.advance(70 * minute);
  const later = await openHarness({ store: await open(), clock: h.clock });
  await later.settle();
  const { id } = await later.session(main);
  const archived = await later.store.listSessions({
    scope: { descendantsOf: { id, isRoot: true } },
    archived: true,
    limit: 1000,
  });
  expect(archived).toHaveLength(260);
}, 60_000);

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
  const h = await openHarness({ script: { child: "r", child_announce: hangs } });
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

async function hangs(request: Parameters<typeof callTool>[0]): Promise<string> {
  return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
}
