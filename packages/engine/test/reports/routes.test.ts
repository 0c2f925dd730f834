import type { Route, RunRequest } from "@trunkline/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { callTool, openHarness } from "../harness.ts";

// Group E of docs/field-reports.md: the wrong channel, thread or session.

const a = "agent:a:main";
const b = "agent:b:main";
const telegram = { channel: "telegram" };
const webchat = { channel: "webchat" };
const quiet = { session: { agentToAgent: { maxPingPongTurns: 0 } } };
const thread: Route = { channel: "slack", to: "C1", accountId: "team", threadId: "171.5" };

function direct(channel: string, id: string, text = "hi") {
  return { channel, peer: { kind: "direct" as const, id }, text };
}

test("B29: a group session first made through the host announces into the group that its key names", async () => {
  const group = "agent:a:telegram:group:-5";
  const h = await openHarness({
    config: quiet,
    channels: [telegram, webchat],
    script: { send: "reply", flow_announce: "news", inbound: "NO_REPLY" },
  });
  await h.human(group, "made by the host");
  await h.settle();
  await h.send(b, group, "q");
  await h.settle();
  expect(h.channel("telegram").sent.map(({ route, text }) => [route, text])).toEqual([
    [{ channel: "telegram", to: "-5" }, "news"],
  ]);
  expect(h.channel("webchat").sent).toEqual([]);
});

test("B30: a message from the dashboard does not steal the route of a chat", async () => {
  const h = await openHarness({
    config: quiet,
    channels: [telegram, webchat],
    script: { send: "reply", flow_announce: "news", inbound: "NO_REPLY" },
  });
  await h.trunkline.receive(direct("telegram", "9"));
  await h.trunkline.receive(direct("webchat", "tab"));
  await h.settle();
  expect(await h.session(a)).toMatchObject({ lastChannel: "telegram", lastTo: "9" });
  await h.send(b, a, "q");
  await h.settle();
  expect(h.channel("telegram").sent.map(({ text }) => text)).toEqual(["news"]);
  expect(h.channel("webchat").sent).toEqual([]);
});

async function inThread(script: Parameters<typeof openHarness>[0] = {}) {
  const h = await openHarness({
    config: {
      session: { dmScope: "main", groupScope: "main" },
      agents: { defaults: { subagents: { maxSpawnDepth: 2 } } },
    },
    channels: [{ channel: "slack", threads: true }],
    ...script,
  });
  const say = (text: string) =>
    h.trunkline.receive({
      channel: "slack",
      accountId: "team",
      peer: { kind: "channel", id: "C1" },
      threadId: "171.5",
      text,
    });
  return { h, say };
}

test("B31: a completion goes to the thread in which its child was asked for", async () => {
  const { h, say } = await inThread({ script: { child: "done", child_announce: "the result" } });
  h.script({
    ["agent:main:main inbound"]: async (request: RunRequest) => {
      await callTool(request, "sessions_spawn", { task: "t" });
      return "NO_REPLY";
    },
  });
  await say("do it");
  await h.settle();
  expect(h.channel("slack").sent.map(({ route }) => route)).toEqual([thread]);
  expect(h.channel("slack").sent[0]?.text).toContain("the result");
});

test("B32: with nested sub-agents the final result still goes to the thread at the root", async () => {
  const { h, say } = await inThread({});
  h.script({
    ["agent:main:main inbound"]: async (request: RunRequest) => {
      await callTool(request, "sessions_spawn", { task: "orchestrate" });
      return "NO_REPLY";
    },
    child: async (request: RunRequest) => {
      if (request.session.spawnDepth === 2) return "leaf result";
      await callTool(request, "sessions_spawn", { task: "leaf" });
      await callTool(request, "sessions_yield", {});
      return "";
    },
    resume: "combined",
    child_announce: (request: RunRequest) => `announced at depth ${request.session.spawnDepth}`,
  });
  await say("do it");
  await h.settle();
  expect(h.channel("slack").sent.map(({ route }) => route)).toEqual([thread]);
  expect(h.channel("slack").sent[0]?.text).toContain("announced at depth 1");
});

test("B33: a completion wakes the session that spawned, whatever chat the route belongs to", async () => {
  const h = await openHarness({
    channels: [telegram],
    script: { default: "NO_REPLY", child: "done", child_announce: "result" },
  });
  await h.trunkline.receive(direct("telegram", "9"));
  await h.human("agent:a:telegram:direct:9", "a parallel session of the same chat");
  await h.settle();
  h.script({
    [`${a} inbound`]: async (request: RunRequest) => {
      await callTool(request, "sessions_spawn", { task: "t" });
      await callTool(request, "sessions_yield", {});
      return "";
    },
    [`${a} resume`]: "got it",
  });
  await h.human(a, "go");
  await h.settle();
  expect((await h.runs(a)).map(({ kind }) => kind)).toEqual(["inbound", "inbound", "resume"]);
  expect((await h.rows(a)).filter(({ provenance }) => provenance?.kind === "subagent_completion")).toHaveLength(1);
  expect((await h.rows("agent:a:telegram:direct:9")).map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("B34: a send leaves the target's route as it was: a session without one posts nothing", async () => {
  const h = await openHarness({
    config: quiet,
    channels: [telegram, webchat],
    script: { send: "raw reply", flow_announce: "announce", inbound: "NO_REPLY" },
  });
  await h.trunkline.receive(direct("telegram", "9"));
  await h.settle();
  await h.send(a, b, "q");
  await h.settle();
  expect(await h.session(b)).toMatchObject({ route: null, lastChannel: null, lastTo: null, origin: null });
  const status = await h.call(b, "session_status", {});
  expect("details" in status && status.details.route?.deliveryContext).toBeUndefined();
  expect([...h.channel("telegram").attempts, ...h.channel("webchat").attempts]).toEqual([]);
});

test("B35: any route that comes in goes out unchanged", async () => {
  const part = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => text.trim() === text);
  const routes = fc.record({ to: part, accountId: part, threadId: part }, { requiredKeys: ["to"] });
  const h = await openHarness({ channels: [telegram], script: { default: "answer" } });
  await fc.assert(
    fc.asyncProperty(routes, async ({ to, ...rest }) => {
      await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: to }, ...rest, text: "hi" });
      await h.settle();
      expect(h.channel("telegram").sent.at(-1)?.route).toEqual({ channel: "telegram", to, ...rest });
    }),
    { numRuns: 25 },
  );
});

test("B36: a human's thread takes no message from another session, by key, sessionId or label", async () => {
  const h = await openHarness({ channels: [{ channel: "slack" }], script: { default: "NO_REPLY" } });
  const { sessionKey } = await h.trunkline.receive({
    channel: "slack",
    peer: { kind: "channel", id: "C1" },
    threadId: "171.5",
    text: "ours",
  });
  await h.settle();
  const { sessionId } = await h.trunkline.patchSession(sessionKey, { label: "ours" });
  const before = await h.rows(sessionKey);
  const results = [
    await h.send(b, sessionKey, "x"),
    await h.send(b, sessionId, "x"),
    await h.call(b, "sessions_send", { label: "ours", message: "x" }),
  ];
  for (const result of results) expect(result).toMatchObject({ status: "error", code: "thread_target" });
  await h.settle();
  expect(await h.rows(sessionKey)).toEqual(before);
  expect(h.runner.requests).toHaveLength(1);
});

test("B37: a child whose thread comes back without a route is refused and not left behind", async () => {
  const h = await openHarness({
    channels: [{ channel: "slack", threads: true, createThread: ({ route }) => route }],
    script: { default: "NO_REPLY" },
  });
  await h.trunkline.receive(direct("slack", "U1"));
  await h.settle();
  expect(await h.call(a, "sessions_spawn", { task: "t", thread: true })).toMatchObject({
    status: "error",
    code: "thread_unsupported",
  });
  const sessions = await h.store.listSessions({ scope: { every: true }, archived: false, limit: 10 });
  expect(sessions.map(({ sessionKey }) => sessionKey)).toEqual([a]);
});
