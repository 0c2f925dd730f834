import type { ToolResult } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, begin, callTool, databaseFile, type Harness, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { completions, databaseDigest, main, spawn, spawnIn, spawning, spawnOf, spawnsOf } from "./family.ts";

const deep = { agents: { defaults: { subagents: { maxSpawnDepth: 3 } }, list: [{ id: "a" }, { id: "b" }] } };
const slack = { channel: "slack" } as const;

type List = Extract<ToolResult<"subagents">, { active: unknown }>;
type Wait = Extract<ToolResult<"subagents">, { done: unknown }>;

const list = async (h: Harness, from = main) => (await h.call(from, "subagents", {})) as List;
const wait = async (h: Harness, args: object, from = main) =>
  (await h.call(from, "subagents", { action: "wait", ...args })) as Wait;

test("the list shows the caller's own descendants, at every level, with state, outcome, tokens and time", async () => {
  const h = await openHarness({ config: deep });
  h.script({
    child: async (request) => {
      if (request.session.spawnDepth === 2) return hang(request);
      await spawnIn(request, { task: "part" });
      return { text: "started it", usage: { inputTokens: 7, outputTokens: 3 } };
    },
  });
  const child = await spawn(h, main, { task: "whole  job\nof many lines", label: "whole" });
  await h.call("agent:b:main", "sessions_spawn", { task: "not theirs" });
  await h.advance(0);
  const { active, recent } = await list(h);
  expect(recent).toEqual([]);
  expect(active).toMatchObject([
    {
      runId: child.runId,
      childSessionKey: child.childSessionKey,
      label: "whole",
      task: "whole job of many lines",
      status: "yielded",
      runtime: "subagent",
      startedAt: h.clock.now(),
      tokens: { input: 7, output: 3, total: 10 },
    },
    { task: "part", status: "running" },
  ]);
  expect(active).toHaveLength(2);
  expect((await list(h, child.childSessionKey)).active).toHaveLength(1);
  expect((await list(h, "agent:a:slack:group:c1")).active).toEqual([]);
});

test("an ended child is recent for thirty minutes, with its outcome and how its post fared", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "r", child_announce: "summary" } });
  h.script({ [`${main} inbound`]: spawning(["work"]) });
  await h.trunkline.receive({ channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" });
  await h.settle();
  const endedAt = h.clock.now();
  expect((await list(h)).recent).toMatchObject([
    { status: "ended", outcome: "success", delivery: "delivered", endedAt },
  ]);
  await h.advance(30 * 60_000);
  expect((await list(h)).recent).toHaveLength(1);
  await h.advance(1);
  expect((await list(h)).recent).toEqual([]);
});

test("B17: a requester without a route, such as a cron job, has the outcome recorded as undeliverable and the result in its transcript", async () => {
  const h = await openHarness({
    script: { child: "r", child_announce: "summary", "cron:nightly": spawning(["work"]) },
  });
  await h.trunkline.submit({ sessionKey: "cron:nightly", agentId: "a", text: "run", actor: "system" });
  await h.settle();
  const { recent } = await list(h, "cron:nightly");
  expect(recent).toMatchObject([{ outcome: "success", delivery: "undeliverable" }]);
  expect((await completions(h, "cron:nightly"))[0]).toContain("Result: summary");
});

test("B17: a cron session that knows a channel from its last contact posts there", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "r", child_announce: "summary" } });
  await h.trunkline.submit({ sessionKey: "cron:nightly", agentId: "a", text: "hello", actor: "system" });
  await h.settle();
  const { id } = await h.session("cron:nightly");
  await h.store.commit({ at: h.clock.now(), sessions: [{ id, set: { lastChannel: "slack", lastTo: "U7" } }] });
  h.script({ "cron:nightly": spawning(["work"]) });
  await h.trunkline.submit({ sessionKey: "cron:nightly", text: "run", actor: "system" });
  await h.settle();
  expect(h.channel("slack").sent.at(-1)?.route).toEqual({ channel: "slack", to: "U7" });
});

test("B21: whatever a child comes to, its post ends in a listed state", async () => {
  const terminal = ["delivered", "skipped", "suppressed", "undeliverable", "failed", "unknown"];
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: spawning(["ok", "fails", { task: "slow", runTimeoutSeconds: 1 }, "cancelled", "silent"]),
    child: (request) => {
      if (request.prompt.endsWith("fails")) throw new Error("broke");
      if (/slow|cancelled/.test(request.prompt)) return hang(request);
      return request.prompt.endsWith("silent") ? "NO_REPLY" : "fine";
    },
    child_announce: ({ prompt }) => (prompt.includes("silent") ? "ANNOUNCE_SKIP" : "summary"),
  });
  await h.trunkline.receive({ channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" });
  await h.advance(1000);
  const cancelled = (await spawnsOf(h, main)).find(({ task }) => task === "cancelled");
  await h.call(main, "subagents", { action: "cancel", runId: cancelled?.runId ?? "" });
  await h.settle();
  const { recent } = await list(h);
  expect(Object.fromEntries(recent.map(({ task, outcome, delivery }) => [task, [outcome, delivery]]))).toEqual({
    ok: ["success", "delivered"],
    fails: ["error", "delivered"],
    slow: ["timeout", "delivered"],
    cancelled: ["cancelled", "skipped"],
    silent: ["success", "skipped"],
  });
  for (const { delivery } of recent) expect(terminal).toContain(delivery);
});

test("a cancel by key, by sessionId or by runId ends a running child: terminal, recorded, not posted", async () => {
  const h = await openHarness({ channels: [slack], script: { child: hang } });
  h.script({ [`${main} inbound`]: spawning(["one", "two", "three"]) });
  await h.trunkline.receive({ channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" });
  await h.advance(0);
  const [one, two, three] = (await list(h)).active;
  const { sessionId } = await h.session(two?.childSessionKey ?? "");
  const names = [{ childSessionKey: one?.childSessionKey }, { childSessionKey: sessionId }, { runId: three?.runId }];
  for (const [index, name] of names.entries()) {
    const result = await h.call(main, "subagents", { action: "cancel", ...(name as { runId: string }) });
    expect(result).toEqual({ status: "ok", cancelled: [[one, two, three][index]?.runId] });
  }
  await h.settle();
  expect(h.channel("slack").sent).toEqual([]);
  expect((await completions(h, main)).every((entry) => entry.startsWith("Status: cancelled"))).toBe(true);
  expect(await h.call(main, "subagents", { action: "cancel", runId: one?.runId ?? "" })).toEqual({
    status: "ok",
    cancelled: [],
  });
  expect(await findViolations(h.store)).toEqual([]);
});

test("a queued child is cancelled before it ever runs", async () => {
  const config = { agents: { defaults: { subagents: { maxConcurrent: 1 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config, script: { child: hang } });
  await spawn(h, main, { task: "first" });
  const second = await spawn(h, main, { task: "second" });
  await h.advance(0);
  expect((await list(h)).active.map(({ status }) => status)).toEqual(["running", "queued"]);
  await h.call(main, "subagents", { action: "cancel", runId: second.runId });
  await h.settle().catch(() => undefined);
  expect(h.runner.requests).toHaveLength(1);
  expect(await spawnOf(h, second.runId)).toMatchObject({ outcome: "cancelled", startedAt: null });
  expect((await completions(h, main))[0]).toContain("Stats: runtime n/a");
});

test("a cancel that races with the child's start is not lost", async () => {
  const h = await openHarness({ script: { child: hang } });
  const children = await Promise.all(Array.from({ length: 5 }, (_, i) => spawn(h, main, { task: `part ${i}` })));
  const results = await Promise.all(
    children.map(({ runId }) => h.call(main, "subagents", { action: "cancel", runId })),
  );
  expect(results).toEqual(children.map(({ runId }) => ({ status: "ok", cancelled: [runId] })));
  await h.settle();
  expect(await findViolations(h.store)).toEqual([]);
});

test("nobody sees or cancels a child that is not below it, and a missing one answers alike", async () => {
  const h = await openHarness({ config: deep, script: { child: hang } });
  const child = await spawn(h, main, { task: "work" });
  await h.call("agent:b:main", "sessions_list", {});
  await h.advance(0);
  const before = await databaseDigest(h);
  for (const args of [
    { action: "cancel", runId: child.runId },
    { action: "cancel", childSessionKey: child.childSessionKey },
    { action: "cancel", childSessionKey: "main" },
    { action: "cancel", runId: "nothing" },
    { action: "wait", runIds: [child.runId] },
  ] as const) {
    expect(await h.call("agent:b:main", "subagents", args)).toMatchObject({ status: "error", code: "not_found" });
  }
  expect(await databaseDigest(h)).toBe(before);
});

test("a wait for all ends with the last child, a wait for any with the first, and neither takes a completion away", async () => {
  const h = await openHarness({ script: { child_announce: "ANNOUNCE_SKIP" } });
  h.script({ child: (request) => answerAfter(h.clock, Number(request.prompt.slice(-4)), "r")(request) });
  await spawn(h, main, { task: "2000" });
  await spawn(h, main, { task: "5000" });
  const all = begin(wait(h, { timeoutSeconds: 60 }));
  const any = begin(wait(h, { timeoutSeconds: 60, mode: "any" }));
  await h.advance(2000);
  expect(any.done).toBe(true);
  expect(all.done).toBe(false);
  expect(await any.result()).toMatchObject({ status: "ok", done: [{ task: "2000" }], pending: [{ task: "5000" }] });
  await h.advance(3000);
  expect(await all.result()).toMatchObject({ status: "ok", pending: [] });
  expect((await all.result()).done).toHaveLength(2);
  expect(await completions(h, main)).toHaveLength(2);
});

test("a wait that runs out says what is pending; nothing to wait for is over at once", async () => {
  const h = await openHarness({ script: { child: hang } });
  expect(await wait(h, {})).toEqual({ status: "ok", done: [], pending: [] });
  const child = await spawn(h, main, { task: "work" });
  const waiting = begin(wait(h, { runIds: [child.runId], timeoutSeconds: 5 }));
  await h.advance(5000);
  expect(await waiting.result()).toMatchObject({ status: "timeout", done: [], pending: [{ runId: child.runId }] });
  expect(await wait(h, { timeoutSeconds: 0 })).toMatchObject({ status: "timeout" });
});

test("a wait in another process sees the end of a child", async () => {
  const { open } = databaseFile();
  const runner = await openHarness({ store: await open() });
  runner.script({ child: answerAfter(runner.clock, 3000, "r"), child_announce: "ANNOUNCE_SKIP" });
  await runner.call(main, "sessions_list", {});
  const other = await openHarness({ store: await open(), clock: runner.clock, start: false });
  const child = await spawn(other, main, { task: "work" });
  const waiting = begin(wait(other, { runIds: [child.runId], timeoutSeconds: 60 }));
  for (let step = 0; step < 50 && !waiting.done; step++) await runner.advance(200);
  expect(await waiting.result()).toMatchObject({ status: "ok", done: [{ outcome: "success" }] });
});

test("a parent that waits lends its slot, so that a full lane does not stand still", async () => {
  const config = {
    agents: { defaults: { subagents: { maxSpawnDepth: 2, maxConcurrent: 1 } }, list: [{ id: "a" }] },
  };
  const h = await openHarness({ config, script: { child_announce: "ANNOUNCE_SKIP", continuation: "seen" } });
  h.script({
    child: async (request) => {
      if (request.session.spawnDepth === 2) return "part";
      const part = await spawnIn(request, { task: "part" });
      const waited = (await callTool(request, "subagents", { action: "wait", runIds: [part.runId] })) as Wait;
      return `${waited.status} ${waited.done[0]?.outcome}`;
    },
  });
  const child = await spawn(h, main, { task: "whole" });
  await h.settle();
  expect((await h.run(child.runId)).replyText).toBe("ok success");
  expect(await findViolations(h.store)).toEqual([]);
});

test("a child that was deleted is still named in the list", async () => {
  const h = await openHarness({ script: { child: "r", child_announce: "summary" } });
  const child = await spawn(h, main, { task: "work", cleanup: "delete" });
  await h.settle();
  await h.advance(10_000);
  expect(await h.find(child.childSessionKey)).toBeUndefined();
  expect((await list(h)).recent).toMatchObject([{ childSessionKey: child.childSessionKey, outcome: "success" }]);
});

const oldEntry = (id: string) => ({
  id,
  role: "user" as const,
  class: 0 as const,
  body: { content: "Status: error" },
  dedupeKey: `completion:${id}`,
});

test("a session with thousands of settled children still finds those that go on", async () => {
  const h = await openHarness({ script: { child: "r", child_announce: "ANNOUNCE_SKIP" } });
  const first = await spawn(h, main, { task: "first" });
  await h.settle();
  const template = await spawnOf(h, first.runId);
  const { id: requesterRow } = await h.session(main);
  for (let batch = 0; batch < 3; batch++) {
    const names = Array.from({ length: 400 }, (_, index) => {
      return `00000000-0000-7000-8000-${String(batch * 400 + index).padStart(12, "0")}`;
    });
    await h.store.commit({
      at: h.clock.now(),
      sessions: [{ id: requesterRow, append: [{ from: "outside", messages: names.map(oldEntry) }] }],
      records: names.map((name) => ({
        kind: "spawn",
        insert: { ...template, id: name, runId: name, childRow: name, entryId: name },
      })),
    });
  }
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "new" });
      await callTool(request, "sessions_yield", {});
      return "";
    },
    resume: ({ prompt }) => (prompt.includes("Status: success") ? "resumed with it" : "resumed without"),
  });
  const { runId } = await h.human(main, "go");
  await h.settle();
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toMatchObject({ reply: "resumed with it" });
});
