import { expect, test } from "vitest";
import { answerAfter, type Harness, hang, openHarness } from "../harness.ts";
import {
  childKey,
  completions,
  databaseDigest,
  main,
  type SpawnArguments,
  spawn,
  spawnIn,
  spawnsOf,
  usedSlots,
} from "./family.ts";

const slack = { channel: "slack", threads: true } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;

async function refusedThread(h: Harness, args: Partial<SpawnArguments> = {}) {
  const before = await databaseDigest(h);
  const result = await h.call(main, "sessions_spawn", { task: "work", thread: true, ...args });
  expect(await databaseDigest(h)).toBe(before);
  expect(await usedSlots(h, main)).toBe(0);
  expect(result).toMatchObject({ status: "error", code: "thread_unsupported" });
  expect(result).toHaveProperty("error", expect.stringContaining("binding"));
  return result;
}

async function openWithRoute(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const h = await openHarness({ channels: [slack], ...options });
  h.script({ [`${main} inbound`]: "hello", ...options.script });
  await h.trunkline.receive(asked);
  await h.settle();
  return h;
}

test("scenario 36: a channel that cannot open the thread leaves nothing behind: no child, no binding, no slot", async () => {
  const h = await openWithRoute({
    channels: [
      {
        ...slack,
        createThread: () => {
          throw new Error("no such channel");
        },
      },
    ],
  });
  await refusedThread(h);
});

test("a channel without threads, a session without a route, and a switched-off binding are refused alike", async () => {
  await refusedThread(await openWithRoute({ channels: [{ channel: "slack" }] }));
  const bare = await openHarness({ channels: [slack] });
  await bare.call(main, "sessions_list", {});
  await refusedThread(bare);
  await refusedThread(await openWithRoute({ config: { threadBindings: { enabled: false } } }));
});

test("B37: a thread without a route of its own is no thread: the spawn fails and nothing stays", async () => {
  const h = await openWithRoute({ channels: [{ ...slack, createThread: ({ route }) => route }] });
  await refusedThread(h);
});

test("a channel that does not answer is given up after thirty seconds", async () => {
  const h = await openWithRoute({ channels: [{ ...slack, createThread: () => new Promise(() => undefined) }] });
  const result = h.call(main, "sessions_spawn", { task: "work", thread: true });
  await h.advance(30_000);
  expect(await result).toMatchObject({ status: "error", code: "thread_unsupported" });
});

test("a denied chat gets no thread, and a session that may have no more children opens none", async () => {
  const denied = await openWithRoute();
  await denied.trunkline.patchSession(main, { sendPolicy: "deny" });
  await refusedThread(denied);
  expect(denied.channel("slack").threads).toEqual([]);
  const config = { agents: { defaults: { subagents: { maxChildrenPerAgent: 1 } }, list: [{ id: "a" }] } };
  const full = await openWithRoute({ config, script: { child: hang } });
  await spawn(full, main, { task: "work" });
  expect(await full.call(main, "sessions_spawn", { task: "work", thread: true })).toMatchObject({
    code: "children_limit",
  });
  expect(full.channel("slack").threads).toEqual([]);
});

test("a thread that belongs to a living session is not taken from it", async () => {
  const h = await openWithRoute({
    channels: [{ ...slack, createThread: ({ route }) => ({ ...route, threadId: "T1" }) }],
    script: { child: hang },
  });
  const first = await spawn(h, main, { task: "one", thread: true });
  const before = await databaseDigest(h);
  expect(await h.call(main, "sessions_spawn", { task: "two", thread: true })).toMatchObject({
    code: "thread_unsupported",
  });
  expect(await databaseDigest(h)).toBe(before);
  const received = await h.trunkline.receive({ ...asked, threadId: "T1", text: "hi" });
  expect(received.sessionKey).toBe(first.childSessionKey);
});

test("scenario 36: later messages of the thread run the child, its replies go to the thread, and its first run posts nothing", async () => {
  const h = await openWithRoute({ script: { child: "first result", child_announce: "summary" } });
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "Watch the build", thread: true, label: "build" });
      return "started";
    },
  });
  await h.trunkline.receive(asked);
  await h.settle();
  const [spawned] = await spawnsOf(h, main);
  if (!spawned) throw new Error("nothing was spawned");
  const key = await childKey(h, spawned);
  expect(h.channel("slack").threads).toEqual([{ route: { channel: "slack", to: "U1" }, title: "build" }]);
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["hello", "started"]);
  expect(await completions(h, main)).toEqual([expect.stringContaining("Result: summary")]);
  expect(spawned).toMatchObject({ mode: "session", state: "settled", boundRoute: { threadId: "slack-thread-1" } });
  expect((await h.transcript(key))[0]).toBe("user: go");

  h.script({ [key]: "two failures" });
  const route = { channel: "slack", to: "U1", threadId: "slack-thread-1" };
  const received = await h.trunkline.receive({ ...asked, threadId: "slack-thread-1", text: "and now?" });
  expect(received.sessionKey).toBe(key);
  await h.settle();
  expect(h.channel("slack").sent.at(-1)).toMatchObject({ route, text: "two failures" });
  expect(await completions(h, main)).toHaveLength(1);
  expect(await h.transcript(main)).not.toContain("assistant: two failures");
  expect((await h.send(main, key, "and from me?")).status).toBe("ok");
});

test("a child in mode run that is bound to a thread has its completion posted there", async () => {
  const h = await openWithRoute({ script: { child: "result", child_announce: "the summary" } });
  await spawn(h, main, { task: "work", thread: true, mode: "run", context: "isolated" });
  await h.settle();
  const last = h.channel("slack").sent.at(-1);
  expect(last?.route).toEqual({ channel: "slack", to: "U1", threadId: "slack-thread-1" });
  expect(last?.text).toContain("Result: the summary");
});

test("a thread opens below the thread's own conversation: the route of the message that asked", async () => {
  const h = await openHarness({ channels: [slack], script: { child: hang } });
  const room = { channel: "slack", peer: { kind: "channel", id: "C9" }, accountId: "team" } as const;
  const { sessionKey } = await h.trunkline.receive({ ...room, text: "hello" });
  h.script({
    [sessionKey]: async (request) => {
      await spawnIn(request, { task: "work", thread: true, mode: "run" });
      return "";
    },
  });
  await h.trunkline.receive({ ...room, text: "go" });
  await h.advance(0);
  expect(h.channel("slack").threads.map(({ route }) => route)).toContainEqual({
    channel: "slack",
    to: "C9",
    accountId: "team",
  });
});

test("a repeat of a spawn with a thread starts no second child, and its thread stays free", async () => {
  const h = await openWithRoute({ script: { child: hang } });
  const args = { task: "work", thread: true, idempotencyKey: "k" };
  const [first, second] = await Promise.all([spawn(h, main, args), spawn(h, main, args)]);
  expect(second).toEqual(first);
  await h.advance(0);
  const [bound] = await h.store.read([{ find: "binding", index: "expiry", equals: [], limit: 10 }]);
  expect(bound.map(({ state }) => state)).toEqual(["bound"]);
});

test("a message that arrives for a child whose task still runs waits for its turn", async () => {
  const h = await openWithRoute();
  h.script({ child: answerAfter(h.clock, 5000, "done"), child_announce: "ANNOUNCE_SKIP" });
  const child = await spawn(h, main, { task: "work", thread: true });
  await h.advance(0);
  h.script({ [`${child.childSessionKey} inbound`]: "answer" });
  await h.trunkline.receive({ ...asked, threadId: "slack-thread-1", text: "hi" });
  await h.advance(0);
  expect(h.requests(child.childSessionKey)).toHaveLength(1);
  await h.advance(5000);
  expect(h.channel("slack").sent.at(-1)?.text).toBe("answer");
});

test("a child that lives on in its thread posts what its own children bring there", async () => {
  const config = { agents: { defaults: { subagents: { maxSpawnDepth: 2 } }, list: [{ id: "a" }] } };
  const h = await openWithRoute({ config });
  h.script({
    child: (request) => (request.session.spawnDepth === 1 ? "task done" : answerAfter(h.clock, 5000, "part")(request)),
    child_announce: (request) => (request.session.spawnDepth === 1 ? "ANNOUNCE_SKIP" : "the part"),
  });
  const { childSessionKey } = await spawn(h, main, { task: "work", thread: true });
  await h.settle();
  h.script({
    [childSessionKey]: async (request) => {
      await spawnIn(request, { task: "part" });
      return "working on it";
    },
  });
  await h.trunkline.receive({ ...asked, threadId: "slack-thread-1", text: "please" });
  await h.advance(5000);
  await h.settle();
  const inThread = h.channel("slack").sent.filter(({ route }) => route.threadId === "slack-thread-1");
  expect(inThread.map(({ text }) => /Result: (.*)/.exec(text)?.[1] ?? text)).toEqual(["working on it", "the part"]);
  expect(await completions(h, main)).toHaveLength(1);
});
