import { DeliveryError } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, databaseFile, type Harness, openHarness } from "../harness.ts";
import { childKey, main, spawn, spawnIn, spawning, spawnsOf } from "./family.ts";

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
});
