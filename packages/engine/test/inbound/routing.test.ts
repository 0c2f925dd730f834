import { expect, test } from "vitest";
import { openHarness } from "../harness.ts";
import { racingStore } from "../racing-store.ts";

const a = "agent:a:main";
const telegram = { channel: "telegram" } as const;
const webchat = { channel: "webchat" } as const;

function direct(channel: string, id: string, text = "hi") {
  return { channel, peer: { kind: "direct" as const, id }, text };
}

test("a message is committed with its run and answered to where it came from", async () => {
  const h = await openHarness({ channels: [telegram], script: { default: "hello" }, start: false });
  const received = await h.trunkline.receive({ ...direct("telegram", "9"), accountId: "bot", threadId: "7" });
  expect(received).toEqual({ runId: expect.any(String), sessionKey: a });
  expect((await h.run(received.runId ?? "")).state).toBe("queued");
  expect(await h.transcript(a)).toEqual(["user: hi"]);
  await h.trunkline.start();
  await h.settle();
  expect(h.channel("telegram").sent).toEqual([
    {
      route: { channel: "telegram", to: "9", accountId: "bot", threadId: "7" },
      text: "hello",
      idempotencyKey: expect.any(String),
    },
  ]);
  expect((await h.rows(a))[0]?.provenance).toEqual({ kind: "channel", sourceChannel: "telegram" });
});

test("groups, rooms and scoped direct chats find their own sessions; bindings choose the agent", async () => {
  const h = await openHarness({
    config: {
      session: { dmScope: "per-channel-peer", identityLinks: { anna: ["telegram:9", "slack:U9"] } },
      bindings: [
        { agentId: "b", match: { channel: "slack" } },
        { agentId: "c", match: { channel: "slack", peer: { kind: "channel", id: "C1" } } },
      ],
    },
    script: { default: "NO_REPLY" },
  });
  const keys = [];
  for (const message of [
    direct("telegram", "9"),
    direct("telegram", "Other"),
    { ...direct("telegram", "-5"), peer: { kind: "group" as const, id: "-5" } },
    { ...direct("telegram", "-5"), peer: { kind: "group" as const, id: "-5" }, threadId: "3" },
    direct("slack", "U9"),
    { ...direct("slack", "C1"), peer: { kind: "channel" as const, id: "C1" } },
  ]) {
    keys.push((await h.trunkline.receive(message)).sessionKey);
  }
  expect(keys).toEqual([
    "agent:a:telegram:direct:anna",
    "agent:a:telegram:direct:Other",
    "agent:a:telegram:group:-5",
    "agent:a:telegram:group:-5:topic:3",
    "agent:b:slack:direct:anna",
    "agent:c:slack:channel:C1",
  ]);
  await h.settle();
});

test("webchat never replaces a stored external route; another external channel does, and the first webchat counts", async () => {
  const h = await openHarness({ channels: [telegram, webchat], script: { default: "answer" } });
  await h.trunkline.receive(direct("webchat", "tab1"));
  expect(await h.session(a)).toMatchObject({
    channel: "webchat",
    lastChannel: "webchat",
    route: { channel: "webchat", to: "tab1" },
  });
  await h.trunkline.receive(direct("telegram", "9"));
  await h.trunkline.receive(direct("webchat", "tab2"));
  await h.settle();
  expect(await h.session(a)).toMatchObject({
    channel: "telegram",
    lastChannel: "telegram",
    lastTo: "9",
    route: { channel: "telegram", to: "9" },
    origin: { channel: "webchat", to: "tab1" },
  });
  expect(h.channel("webchat").sent.map(({ route }) => route.to)).toEqual(["tab1", "tab2"]);
  expect(h.channel("telegram").sent.map(({ route }) => route.to)).toEqual(["9"]);
  await h.trunkline.receive(direct("signal", "+1"));
  expect(await h.session(a)).toMatchObject({ channel: "signal", lastTo: "+1" });
});

test("an operator's message and a job's go to the named session and post nothing unless delivery is asked for", async () => {
  const room = "agent:a:telegram:group:-5";
  const h = await openHarness({ channels: [telegram], script: { default: "result" } });
  await h.trunkline.submit({ sessionKey: room, text: "quietly" });
  await h.trunkline.submit({ sessionKey: "cron:daily", text: "tick", actor: "system" });
  await h.settle();
  expect(h.channel("telegram").attempts).toEqual([]);
  await h.trunkline.submit({ sessionKey: room, text: "aloud", deliver: true });
  await h.settle();
  expect(h.channel("telegram").sent.map(({ route, text }) => [route, text])).toEqual([
    [{ channel: "telegram", to: "-5" }, "result"],
  ]);
  expect((await h.rows("cron:daily"))[0]?.provenance).toEqual({ kind: "cron" });
  expect((await h.stateEvents("cron:daily")).map(({ kind }) => kind)).toEqual(["created", "run_completed"]);
  expect(await h.session("cron:daily")).toMatchObject({ kind: "cron", channel: "internal", agentId: "a" });
});

test("delivery under a policy that denies is refused with send_denied and leaves neither run nor session", async () => {
  const h = await openHarness({
    config: { session: { sendPolicy: { rules: [{ match: { channel: "telegram" }, action: "deny" }] } } },
    channels: [telegram],
    script: { default: "x" },
  });
  const fresh = { sessionKey: "agent:a:telegram:group:-5", text: "aloud", deliver: true };
  await expect(h.trunkline.submit(fresh)).rejects.toMatchObject({ code: "send_denied" });
  expect(await h.find(fresh.sessionKey)).toBeUndefined();
  await h.human(fresh.sessionKey, "quiet");
  await h.settle();
  await expect(h.trunkline.submit(fresh)).rejects.toMatchObject({ code: "send_denied" });
  expect(await h.runs(fresh.sessionKey)).toHaveLength(1);
  await h.trunkline.patchSession(fresh.sessionKey, { sendPolicy: "allow" });
  await h.trunkline.submit(fresh);
  await h.settle();
  expect(h.channel("telegram").sent).toHaveLength(1);
});

test("a message makes a session of a configured agent and no other: no sub-agent, no thread, no reserved key", async () => {
  const h = await openHarness({ script: { default: "x" } });
  for (const sessionKey of [
    "agent:ghost:main",
    "agent:a:subagent:3f1c1e9a-6f43-4c3e-9d8a-1f0d7e5b2c11",
    "agent:a:slack:channel:C1:thread:9",
    "global",
    "unknown",
    "main",
  ]) {
    await expect(h.trunkline.submit({ sessionKey, text: "x" })).rejects.toMatchObject({
      code: expect.stringMatching(/^invalid_/),
    });
  }
  await expect(h.trunkline.submit({ sessionKey: a, agentId: "b", text: "x" })).rejects.toMatchObject({
    code: "invalid_input",
    path: "agentId",
  });
  await expect(h.trunkline.submit({ sessionKey: a, text: "  " })).rejects.toMatchObject({ path: "text" });
  expect(await h.store.listSessions({ scope: { every: true }, archived: false, limit: 10 })).toEqual([]);
  await h.trunkline.submit({ sessionKey: "hook:5d1f0a5e-9e4c-4c59-8a1c-6f2d8f3f0f11", agentId: "b", text: "x" });
  expect((await h.session("hook:5d1f0a5e-9e4c-4c59-8a1c-6f2d8f3f0f11")).agentId).toBe("b");
});

test("a new message takes a session out of the archive, a send does not", async () => {
  const room = "agent:a:telegram:group:-5";
  const h = await openHarness({ channels: [telegram], script: { default: "x" } });
  await h.human(room, "hi");
  await h.settle();
  await h.trunkline.patchSession(room, { archived: true });
  expect(await h.send("agent:b:main", room, "x")).toMatchObject({ code: "archived" });
  expect((await h.session(room)).archived).toBe(1);
  await h.trunkline.receive({ channel: "telegram", peer: { kind: "group", id: "-5" }, text: "back" });
  expect((await h.session(room)).archived).toBe(0);
  await h.settle();
  expect(h.channel("telegram").sent).toHaveLength(1);
});

test("one key is one message, for each channel and account, and for each session; another text is a conflict", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  const message = { ...direct("telegram", "9"), accountId: "one", idempotencyKey: "m1" };
  const results = await Promise.all([1, 2, 3, 4].map(() => h.trunkline.receive(message)));
  expect(new Set(results.map(({ runId }) => runId)).size).toBe(1);
  expect(await h.trunkline.receive({ ...message, accountId: "two" })).not.toEqual(results[0]);
  await expect(h.trunkline.receive({ ...message, text: "other" })).rejects.toMatchObject({ code: "conflict" });
  const job = { sessionKey: "cron:daily", text: "tick", idempotencyKey: "m1" };
  const submitted = await Promise.all([1, 2, 3].map(() => h.trunkline.submit(job)));
  expect(new Set(submitted.map(({ runId }) => runId)).size).toBe(1);
  await expect(h.trunkline.submit({ ...job, deliver: true })).rejects.toMatchObject({ code: "conflict" });
  expect((await h.trunkline.submit({ ...job, sessionKey: "cron:other" })).runId).not.toBe(submitted[0]?.runId);
  await h.settle();
  expect(await h.runs(a)).toHaveLength(2);
  expect(await h.runs("cron:daily")).toHaveLength(1);
});

test("with session.scope global every chat of an agent is one session", async () => {
  const h = await openHarness({ config: { session: { scope: "global" } }, script: { default: "NO_REPLY" } });
  expect(
    (await h.trunkline.receive({ ...direct("telegram", "-5"), peer: { kind: "group", id: "-5" } })).sessionKey,
  ).toBe(a);
  expect((await h.trunkline.receive(direct("slack", "U1"))).sessionKey).toBe(a);
  await h.settle();
});

test("a message whose session is deleted while it arrives starts that session anew", async () => {
  const room = "agent:a:telegram:group:-5";
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.human(room, "hi");
  await h.settle();
  let deletions = 0;
  const raced = await h.second({
    start: false,
    store: racingStore(h.store, async (transaction) => {
      const admits = transaction.sessions?.some(({ enqueue }) => enqueue !== undefined) ?? false;
      if (admits && deletions++ < 2) await h.trunkline.deleteSession(room);
    }),
  });
  await raced.trunkline.receive({ channel: "telegram", peer: { kind: "group", id: "-5" }, text: "by chat" });
  await raced.trunkline.submit({ sessionKey: room, text: "by the host" });
  await h.settle();
  expect(deletions).toBeGreaterThanOrEqual(2);
  expect(await h.transcript(room)).toEqual([
    "user: by chat",
    "assistant: NO_REPLY",
    "user: by the host",
    "assistant: NO_REPLY",
  ]);
});
