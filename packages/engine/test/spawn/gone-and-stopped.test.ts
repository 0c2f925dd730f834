import type { TrunklineConfigInput } from "@trunkline/core";
import type { ScriptedHandler } from "@trunkline/testkit";
import { expect, test } from "vitest";
import {
  type Answer,
  answerAfter,
  callTool,
  type Harness,
  type HarnessOptions,
  hang,
  openHarness,
} from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { childKey, completions, main, spawn, spawnIn, spawning, spawnOf, spawnsOf } from "./family.ts";

const slack = { channel: "slack" } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, threadId: "T7", text: "go" } as const;
const deep: TrunklineConfigInput = {
  agents: { defaults: { subagents: { maxSpawnDepth: 5 } }, list: [{ id: "a", default: true }] },
};

const openDeep = (options: HarnessOptions = {}) => openHarness({ config: deep, channels: [slack], ...options });

function byDepth(answers: Readonly<Record<number, Answer>>): ScriptedHandler {
  return (request) => {
    const found = answers[request.session.spawnDepth] ?? "";
    return typeof found === "string" ? found : found(request);
  };
}

async function onlyChild(h: Harness, key: string) {
  const [spawned] = await spawnsOf(h, key);
  if (!spawned) throw new Error(`${key} has no child`);
  return { spawned, key: await childKey(h, spawned) };
}

test("scenario 40: a requester that is gone has its children's results go to the nearest living ancestor, on its own route", async () => {
  const h = await openDeep({ sound: false });
  const thread = { channel: "slack", to: "U9", threadId: "T9" };
  h.script({
    [`${main} inbound`]: "hi",
    child: byDepth({
      1: async (request) => {
        await spawnIn(request, { task: "part" });
        return "done";
      },
      2: answerAfter(h.clock, 1000, "part result"),
    }),
  });
  await h.trunkline.receive(asked);
  await h.settle();
  const parent = await spawn(h, main, { task: "whole" });
  await h.advance(0);
  const { id } = await h.session(parent.childSessionKey);
  const [part] = await spawnsOf(h, parent.childSessionKey);
  await h.store.commit({
    at: h.clock.now(),
    sessions: [{ id, set: { deletedAt: h.clock.now(), archived: 2, sessionKey: `~deleted:${id}` } }],
    records: [{ kind: "spawn", key: part?.id ?? "", set: { originRoute: thread }, add: { version: 1 } }],
  });
  await h.advance(1000);
  await h.settle();
  expect(await completions(h, main)).toContainEqual(expect.stringContaining("Result: part result"));
  expect(h.channel("slack").sent.at(-1)).toMatchObject({
    text: expect.stringContaining("Result: part result"),
    route: { channel: "slack", to: "U1", threadId: "T7" },
  });
});

test("where no ancestor lives the result is kept with the child and marked undeliverable", async () => {
  const h = await openDeep({ script: { child: "result" } });
  const room = "agent:a:slack:group:c1";
  const child = await spawn(h, room, { task: "work" });
  const { id } = await h.session(room);
  await h.store.commit({
    at: h.clock.now(),
    sessions: [{ id, set: { deletedAt: h.clock.now(), archived: 2, sessionKey: `~deleted:${id}` } }],
  });
  await h.settle();
  expect(await spawnOf(h, child.runId)).toMatchObject({ state: "settled", outcome: "success" });
  expect(await h.deliveries(child.childSessionKey)).toMatchObject([{ kind: "completion", state: "undeliverable" }]);
});

test("a requester that was reset gets the entry in its session as it is now", async () => {
  const h = await openDeep({ script: { child: hang } });
  const child = await spawn(h, main, { task: "work" });
  await h.advance(0);
  const { id } = await h.session(main);
  await h.store.commit({
    at: h.clock.now(),
    sessions: [{ id, set: { sessionId: "7b0c1c34-0a54-4c83-8f3e-54c3f2a9b001" } }],
  });
  await h.trunkline.abort({ runId: child.runId });
  expect((await completions(h, main))[0]).toContain("Status: cancelled");
});

test("scenario 40: a child that is stopped takes its own children with it; they are recorded and nothing is posted", async () => {
  const h = await openDeep();
  h.script({
    [`${main} inbound`]: spawning(["whole"], "on it"),
    child: byDepth({
      1: async (request) => {
        await spawnIn(request, { task: "one" });
        await spawnIn(request, { task: "two" });
        return hang(request);
      },
      2: hang,
    }),
  });
  await h.trunkline.receive(asked);
  await h.advance(0);
  const { spawned, key } = await onlyChild(h, main);
  await h.trunkline.receive({ ...asked, isOwner: true, text: "/stop" });
  await h.settle();
  expect((await spawnOf(h, spawned.runId)).outcome).toBe("cancelled");
  expect((await spawnsOf(h, key)).map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
  expect((await completions(h, main))[0]).toContain("Status: cancelled");
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["on it", "Stopped 1 run."]);
  expect(await findViolations(h.store)).toEqual([]);
});

test("scenario 40: a cancel reaches children of every level, whatever state they are in", async () => {
  const h = await openDeep();
  h.script({
    child: byDepth({
      1: async (request) => {
        await spawnIn(request, { task: "yields" });
        return "ends early";
      },
      2: async (request) => {
        await spawnIn(request, { task: "runs" });
        await callTool(request, "sessions_yield", {});
        return "";
      },
      3: hang,
    }),
  });
  const child = await spawn(h, main, { task: "whole" });
  await h.advance(0);
  const result = await h.call(main, "subagents", { action: "cancel", runId: child.runId });
  await h.settle();
  expect("cancelled" in result && result.cancelled).toHaveLength(3);
  const [all] = await h.store.read([{ find: "spawn", index: "settled", equals: ["settled"], limit: 10 }]);
  expect(all.map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled", "cancelled"]);
  expect(h.runner.requests.map(({ run }) => run.kind)).toEqual(["child", "child", "child"]);
  expect(await findViolations(h.store)).toEqual([]);
});

test("a cancel during the announce step is a cancel: the text is kept in the entry and not posted", async () => {
  const h = await openDeep({ script: { child: "the result", child_announce: hang } });
  h.script({ [`${main} inbound`]: spawning(["work"]) });
  await h.trunkline.receive(asked);
  await h.advance(0);
  const { spawned } = await onlyChild(h, main);
  expect(spawned.state).toBe("announcing");
  const result = await h.call(main, "subagents", { action: "cancel", runId: spawned.runId });
  await h.settle();
  expect(result).toEqual({ status: "ok", cancelled: [spawned.runId] });
  expect((await completions(h, main))[0]).toContain("Status: cancelled\nResult: the result");
  expect(h.channel("slack").sent).toEqual([]);
});
