import { expect, test } from "vitest";
import { eventsPerSession } from "../../src/maintenance/retention.ts";
import { callTool, emptyStore, type Harness, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";

const dayMs = 24 * 60 * 60_000;
const main = "agent:a:main";
const room = (id: number) => `agent:a:telegram:group:${id}`;

/** Lets days pass without living through each beat of them. */
async function pass(harness: Harness, days: number): Promise<void> {
  harness.clock.step(days * dayMs);
  await harness.advance(11 * 60_000);
}

async function keysOf(harness: Harness): Promise<readonly string[]> {
  const { session } = await takeSnapshot(harness.store);
  return session
    .filter(({ deletedAt }) => deletedAt === null)
    .map(({ sessionKey }) => sessionKey)
    .sort();
}

const on = (maintenance: { readonly pruneAfter?: number; readonly maxEntries?: number } = {}) => ({
  session: { maintenance: { mode: "on" as const, ...maintenance } },
});

test("runs, exchanges, children and keys go thirty days after their end; transcripts and usage stay", async () => {
  const harness = await openHarness({
    script: {
      [`${main} inbound`]: (request) =>
        callTool(request, "sessions_spawn", { task: "x" }).then(() => ({ text: "ok", usage: { inputTokens: 5 } })),
    },
  });
  await harness.human("agent:b:main", "made");
  await harness.trunkline.submit({ sessionKey: main, text: "go", idempotencyKey: "k" });
  await harness.settle();
  await harness.send(main, "agent:b:main", "hello", { timeoutSeconds: 0 });
  await harness.settle();
  await pass(harness, 29);
  const before = await takeSnapshot(harness.store);
  expect([before.run.length, before.flow.length, before.spawn.length, before.idempotency.length]).toEqual([5, 1, 1, 1]);
  await pass(harness, 2);
  const after = await takeSnapshot(harness.store);
  expect(after.run).toEqual([]);
  expect([after.flow, after.idempotency, after.delivery]).toEqual([[], [], []]);
  expect(after.message.length).toBe(before.message.length);
  expect(after.usage).toEqual(before.usage);
  expect(await findViolations(harness.store)).toEqual([]);
});

test("what something open refers to is not removed with its age", async () => {
  const harness = await openHarness({
    script: {
      [`${main} inbound`]: async (request) => {
        await callTool(request, "sessions_spawn", { task: "x" });
        await callTool(request, "sessions_yield", {});
        return "";
      },
      child: hang,
    },
  });
  const { runId } = await harness.human(main, "go");
  await harness.advance(0);
  await pass(harness, 60);
  expect((await harness.run(runId)).state).toBe("yielded");
  expect(await findViolations(harness.store)).toEqual([]);
  await harness.trunkline.abort({ sessionKey: main });
  await harness.settle();
  await pass(harness, 31);
  expect((await takeSnapshot(harness.store)).run).toEqual([]);
});

test("events go after thirty days, the newest stays, and the gap is told", async () => {
  const harness = await openHarness({ script: { default: "answer" } });
  await harness.human(main, "one");
  await harness.settle();
  await pass(harness, 31);
  const versions = (await harness.stateEvents(main)).map(({ version }) => version);
  const { stateVersion, eventsPrunedTo } = await harness.session(main);
  expect([versions, eventsPrunedTo]).toEqual([[stateVersion], stateVersion - 1]);
  const status = await harness.call(main, "session_status", { changesSince: 0 });
  expect("details" in status && status.details.stateChanges).toMatchObject({ historyGap: true });
  expect(await findViolations(harness.store)).toEqual([]);
});

test("a session keeps its newest fifty thousand events, removed in small commits", async () => {
  const store = await emptyStore();
  const limits: number[] = [];
  const harness = await openHarness({
    store: {
      ...store,
      prune(request) {
        if (request.what === "events") limits.push(request.limit);
        expect(request).not.toMatchObject({ what: "events", keepPerSession: 0 });
        return store.prune(request);
      },
    },
  });
  await harness.human(main, "one");
  await harness.advance(2 * 60_000);
  expect(eventsPerSession).toBe(50_000);
  expect(Math.max(...limits)).toBeLessThanOrEqual(500);
});

test("without maintenance no session goes, however old", async () => {
  const harness = await openHarness({ script: { default: "" } });
  for (const key of [main, room(1), "cron:nightly"]) await harness.human(key, "made");
  await harness.settle();
  await pass(harness, 1000);
  expect(await keysOf(harness)).toEqual([main, room(1), "cron:nightly"].sort());
});

test("B92: maintenance removes idle sessions of every kind, live and archived, and keeps main, pinned, used and working ones and the parents of living children", async () => {
  const harness = await openHarness({
    config: on({ pruneAfter: 7 }),
    script: { child: hang, [`${room(5)} inbound`]: hang, default: "" },
  });
  const stale = [room(1), "cron:nightly", "hook:4c1f6b5e-0000-4000-8000-000000000000", "node-7", "agent:a:direct:bob"];
  const kept = [main, room(2), room(3), room(4), room(5)];
  for (const key of [...stale, ...kept]) await harness.human(key, "made");
  await harness.advance(0);
  await harness.trunkline.patchSession(room(1), { archived: true });
  await harness.trunkline.patchSession(room(2), { pinned: true });
  const spawned = await harness.call(room(3), "sessions_spawn", { task: "x" });
  await harness.advance(0);
  await pass(harness, 6);
  await harness.human(room(4), "used");
  await harness.advance(0);
  expect(await keysOf(harness)).toHaveLength(stale.length + kept.length + 1);
  await pass(harness, 2);
  const child = "childSessionKey" in spawned ? spawned.childSessionKey : "";
  expect(await keysOf(harness)).toEqual([...kept, child].sort());
  expect(await findViolations(harness.store)).toEqual([]);

  await harness.trunkline.abort({ sessionKey: room(3) });
  await harness.trunkline.abort({ sessionKey: room(5) });
  await harness.advance(0);
  await pass(harness, 8);
  await pass(harness, 8);
  expect(await keysOf(harness)).toEqual([main, room(2)].sort());
  expect((await takeSnapshot(harness.store)).job).toEqual([]);
});

test("of more sessions than are kept the longest unused go, in every page of them", async () => {
  const harness = await openHarness({ config: on({ maxEntries: 20 }), script: { default: "" } });
  for (let number = 0; number < 150; number++) {
    await harness.human(room(number), "made");
    await harness.advance(10);
  }
  await harness.human(main, "made");
  await harness.settle();
  await harness.clock.advance(30 * 60_000);
  const left = await keysOf(harness);
  expect(left).toHaveLength(20);
  expect(left).toContain(main);
  expect(left).toContain(room(149));
  expect(left).not.toContain(room(0));
});

test("a session that gets a message just when it is to be removed stays", async () => {
  const store = await emptyStore();
  let act: (() => Promise<unknown>) | undefined;
  const harness = await openHarness({
    store: {
      ...store,
      async commit(transaction) {
        const removes = transaction.sessions?.some(({ set }) => set?.deletedAt !== undefined);
        const now = removes ? act : undefined;
        if (now) act = undefined;
        await now?.();
        return store.commit(transaction);
      },
    },
    config: on({ pruneAfter: 7 }),
    script: { default: "answered" },
  });
  await harness.human(room(1), "made");
  await harness.settle();
  act = () => harness.human(room(1), "still here");
  await pass(harness, 8);
  await harness.settle();
  expect(act).toBeUndefined();
  expect((await harness.transcript(room(1))).at(-1)).toBe("assistant: answered");
});

test("B94: a removal that fails is tried again until it is done", async () => {
  const store = await emptyStore();
  let failures = 3;
  const harness = await openHarness({
    store: {
      ...store,
      async prune(request) {
        if (request.what === "session" && failures-- > 0) throw new Error("the disk is full");
        return store.prune(request);
      },
    },
    script: { default: "" },
  });
  await harness.human(room(1), "made");
  await harness.settle();
  const { id } = await harness.session(room(1));
  await harness.trunkline.deleteSession(room(1));
  await harness.advance(0);
  expect((await takeSnapshot(store)).message.filter(({ sessionRow }) => sessionRow === id)).not.toEqual([]);
  await harness.advance(20_000);
  expect(failures).toBeLessThan(0);
  const after = await takeSnapshot(store);
  expect([after.session.length, after.message.length, after.job.length]).toEqual([0, 0, 0]);
});
