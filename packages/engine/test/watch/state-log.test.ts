import { expect, test } from "vitest";
import { type Harness, openHarness } from "../harness.ts";
import { racingStore } from "../racing-store.ts";

const a = "agent:a:main";
const b = "agent:b:main";

async function kinds(h: Harness, key: string): Promise<readonly (readonly [number, string, string])[]> {
  return (await h.stateEvents(key)).map(({ version, kind, actorKind }) => [version, kind, actorKind]);
}

async function changes(h: Harness, from: string, key: string, changesSince: number) {
  const result = await h.call(from, "session_status", { sessionKey: key, changesSince });
  if (!("details" in result) || !result.details.stateChanges) throw new Error("no changes");
  return result.details.stateChanges;
}

test("each kind of change is logged once, in order, with its actor and never with a text", async () => {
  const side = "agent:b:side";
  const h = await openHarness({ script: { default: "NO_REPLY", child: "ok", child_announce: "ok" } });
  await h.human(side, "words of a human");
  await h.settle();
  h.script({
    [side]: () => {
      throw new Error("boom");
    },
  });
  await h.trunkline.submit({ sessionKey: side, text: "words of a job", actor: "system" });
  await h.settle();
  await h.trunkline.patchSession(side, { goal: "words of a goal" });
  await h.trunkline.patchSession(side, { goal: "words of a goal", label: "no change of goal" });
  await h.call(side, "sessions_spawn", { task: "words of a task" });
  await h.settle();
  await h.trunkline.resetSession(side);
  await h.trunkline.patchSession(side, { archived: true });
  await h.trunkline.patchSession(side, { archived: true });
  expect(await kinds(h, side)).toEqual([
    [1, "created", "system"],
    [2, "human_direct_message", "human"],
    [3, "run_completed", "agent"],
    [4, "run_failed", "agent"],
    [5, "goal_changed", "human"],
    [6, "child_spawned", "agent"],
    [7, "reset", "human"],
    [8, "archived", "human"],
  ]);
  expect((await h.session(side)).stateVersion).toBe(8);
  expect(JSON.stringify(await h.stateEvents(side))).not.toMatch(/words of/);
});

test("a change and its event are one commit: where the commit fails there is neither", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.human(b, "hi");
  await h.settle();
  const before = await h.stateEvents(b);
  const broken = await h.second({
    start: false,
    store: racingStore(h.store, () => {
      throw new Error("the disk is gone");
    }),
  });
  await expect(broken.trunkline.patchSession(b, { goal: "x" })).rejects.toThrow("the disk is gone");
  await expect(broken.human(b, "lost")).rejects.toThrow("the disk is gone");
  expect(await h.stateEvents(b)).toEqual(before);
  expect((await h.session(b)).goal).toBeNull();
});

test("a send is no human's message", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.send(a, b, "x");
  await h.settle();
  expect((await kinds(h, b)).map(([, kind]) => kind)).toEqual(["created", "run_completed"]);
});

test("changesSince lists what came after, says when there is more, and whether some is gone", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.human(b, "hi");
  await h.settle();
  for (let index = 0; index < 205; index++) await h.trunkline.patchSession(b, { goal: `goal ${index}` });
  const { stateVersion } = await h.session(b);
  expect(stateVersion).toBe(208);
  const all = await changes(h, a, b, 0);
  expect(all).toMatchObject({ truncated: true, historyGap: false });
  expect(all.events).toHaveLength(200);
  expect(all.events.map(({ version }) => version)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  const rest = await changes(h, a, b, 200);
  expect(rest.events.map(({ version }) => version)).toEqual([201, 202, 203, 204, 205, 206, 207, 208]);
  expect(rest).toMatchObject({ truncated: false, historyGap: false });
  expect(rest.events[0]).toEqual({
    version: 201,
    kind: "goal_changed",
    actor: { type: "human" },
    at: h.clock.now(),
  });
  expect(await changes(h, a, b, 208)).toEqual({ events: [], truncated: false, historyGap: false });
  await h.store.prune({ what: "events", before: 0, keepPerSession: 5, limit: 1000 });
  expect((await h.session(b)).eventsPrunedTo).toBe(203);
  expect(await changes(h, a, b, 203)).toMatchObject({ historyGap: false });
  expect(await changes(h, a, b, 202)).toMatchObject({ historyGap: true });
  expect((await changes(h, a, b, 0)).events.map(({ version }) => version)).toEqual([204, 205, 206, 207, 208]);
  expect((await h.session(b)).stateVersion).toBe(208);
});

test("the key of a spawned child is named only to readers that may see the child", async () => {
  const h = await openHarness({
    config: { tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["a", "b"] } } },
    script: { default: "NO_REPLY", child: "ok", child_announce: "ok" },
  });
  await h.human(a, "hi");
  await h.settle();
  const spawned = await h.call(a, "sessions_spawn", { task: "t" });
  if (spawned.status !== "accepted") throw new Error("no child");
  await h.settle();
  const seen = (await changes(h, b, a, 0)).events.find(({ kind }) => kind === "child_spawned");
  expect(seen?.childSessionKey).toBe(spawned.childSessionKey);
  const narrow = await h.second({
    config: { tools: { sessions: { visibility: "self" } } },
    start: false,
  });
  const hidden = (await changes(narrow, a, a, 0)).events.find(({ kind }) => kind === "child_spawned");
  expect(hidden).toBeDefined();
  expect(hidden).not.toHaveProperty("childSessionKey");
});
