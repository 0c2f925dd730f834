import { expect, test } from "vitest";
import { answerAfter, begin, callTool, databaseFile, type Harness, hang, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const quiet = { session: { agentToAgent: { maxPingPongTurns: 0 } } };

async function watching(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" }, ...options });
  await h.human(b, "first");
  await h.settle();
  expect(await h.send(a, b, "hello", { watch: true })).toMatchObject({ watched: true });
  await h.settle();
  return h;
}

async function notices(h: Harness, key = a): Promise<readonly string[]> {
  return (await h.rows(key))
    .filter(({ provenance }) => provenance?.kind === "notice")
    .map(({ body }) => String(body.content));
}

test("scenario 27: a watch starts at the current version; three messages and a goal are one notice, one more change one more", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" } });
  await h.human(b, "one");
  await h.settle();
  await h.human(b, "two");
  await h.settle();
  await h.trunkline.patchSession(b, { goal: "tidy up" });
  await h.trunkline.patchSession(b, { goal: "tidy up more" });
  const { stateVersion } = await h.session(b);
  expect(stateVersion).toBe(7);
  expect(await h.send(a, b, "hello", { watch: true })).toMatchObject({ status: "ok", watched: true });
  expect(await h.send(a, b, "and again", { timeoutSeconds: 0 })).not.toHaveProperty("watched");
  await h.settle();
  await h.human(a, "own turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  for (const text of ["x", "y", "z"]) await h.human(b, text);
  await h.trunkline.patchSession(b, { goal: "rest" });
  await h.settle();
  await h.human(a, "next");
  await h.settle();
  const [notice, ...more] = await notices(h);
  expect(more).toEqual([]);
  expect(notice).toContain(b);
  expect(notice).toContain("changesSince: 7.");
  await h.human(a, "nothing new");
  await h.settle();
  expect(await notices(h)).toHaveLength(1);
  const seen = (await h.stateEvents(b)).findLast(
    ({ kind }) => kind === "goal_changed" || kind === "human_direct_message",
  );
  await h.trunkline.patchSession(b, { goal: null });
  await h.human(a, "again");
  await h.settle();
  expect(await notices(h)).toHaveLength(2);
  expect((await notices(h))[1]).toContain(`changesSince: ${seen?.version}.`);
});

test("a notice stands once before the input, in the prompt and in the transcript, and starts no run", async () => {
  const h = await watching();
  await h.human(b, "secret words");
  await h.settle();
  await h.advance(3_600_000);
  expect(h.requests(a)).toHaveLength(0);
  await h.human(a, "good morning");
  await h.settle();
  const request = h.requests(a)[0];
  const notice = `The watched session ${b} has changed.`;
  expect(request?.prompt.startsWith(notice)).toBe(true);
  expect(request?.prompt.endsWith("\n\ngood morning")).toBe(true);
  expect(request?.prompt).not.toContain("secret words");
  expect(request?.messages).toEqual([]);
  expect((await h.transcript(a)).map((line) => line.slice(0, 40))).toEqual([
    `system: ${notice}`.slice(0, 40),
    "user: good morning",
    "assistant: NO_REPLY",
  ]);
});

test("the notice of a queued turn, of a send and of a loop turn stands before its input too", async () => {
  const h = await watching();
  h.script({ [`${a} inbound`]: answerAfter(h.clock, 1000, "done") });
  await h.human(a, "long turn");
  await h.advance(0);
  await h.human(b, "change");
  await h.send("agent:c:main", a, "queued", { timeoutSeconds: 0 });
  await h.advance(1000);
  await h.settle();
  expect((await h.rows(a)).map(({ provenance }) => provenance?.kind)).toEqual([
    "human",
    undefined,
    "notice",
    "inter_session",
    undefined,
  ]);
  expect(h.requests(a)[0]?.prompt).toBe("long turn");
  expect(h.requests(a)[1]?.prompt.startsWith("The watched session")).toBe(true);

  const loop = await watching({ config: {}, script: { default: "NO_REPLY", "agent:c:main send": "text" } });
  await loop.human(b, "change");
  await loop.settle();
  await loop.send(a, "agent:c:main", "q");
  await loop.settle();
  expect((await loop.rows(a)).map(({ provenance }) => provenance?.kind)).toEqual([
    "notice",
    "inter_session",
    undefined,
  ]);
});

test("a change between admission and start is still shown in that turn, and told once", async () => {
  const h = await watching();
  await h.trunkline.stop();
  await h.human(a, "waiting");
  await h.human(b, "change");
  await h.trunkline.start();
  await h.settle();
  expect(h.requests(a)[0]?.prompt.startsWith("The watched session")).toBe(true);
  expect(h.requests(a)[0]?.messages).toEqual([]);
  expect(await notices(h)).toHaveLength(1);
  await h.human(a, "next");
  await h.settle();
  expect(h.requests(a)[1]?.prompt).toBe("next");
});

test("what happens while the turn runs opens exactly one new notice; what the turn could read does not", async () => {
  const h = await watching();
  const opened: unknown[] = [];
  h.trunkline.events.subscribe({ types: ["notice_opened"] }, ({ sessionKey, targetSessionKey }) =>
    opened.push([sessionKey, targetSessionKey]),
  );
  await h.human(b, "before 1");
  await h.human(b, "before 2");
  await h.settle();
  expect(opened).toEqual([[a, b]]);
  h.script({ [`${a} inbound`]: answerAfter(h.clock, 1000, "NO_REPLY") });
  await h.human(a, "turn");
  await h.advance(500);
  await h.human(b, "during 1");
  await h.human(b, "during 2");
  await h.advance(500);
  await h.settle();
  expect(opened).toEqual([
    [a, b],
    [a, b],
  ]);
  h.script({ [`${a} inbound`]: "NO_REPLY" });
  await h.human(a, "turn 2");
  await h.human(a, "turn 3");
  await h.settle();
  expect(h.requests(a).map(({ prompt }) => prompt.startsWith("The watched session"))).toEqual([true, true, false]);
});

test("own changes never notify their maker, but do notify other watchers", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY", child: "ok", child_announce: "ok" } });
  await h.human(a, "hi");
  const spawned = await h.call(a, "sessions_spawn", { task: "t" });
  if (spawned.status !== "accepted") throw new Error("no child");
  const child = spawned.childSessionKey;
  await h.settle();
  expect(await h.send("agent:c:main", child, "hello", { watch: true })).toMatchObject({ watched: true });
  await h.settle();
  expect(await h.call(a, "sessions", { action: "patch", sessionKey: child, goal: "finish" })).toMatchObject({
    status: "ok",
  });
  await h.human(a, "turn");
  await h.human("agent:c:main", "turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  expect(await notices(h, "agent:c:main")).toHaveLength(1);
});

test("a parent watches its child from the spawn on", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY", child: "ok", child_announce: "ok" } });
  await h.human(a, "hi");
  const spawned = await h.call(a, "sessions_spawn", { task: "t" });
  if (spawned.status !== "accepted") throw new Error("no child");
  await h.settle();
  await h.human(spawned.childSessionKey, "a human steps in");
  await h.settle();
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([expect.stringContaining(spawned.childSessionKey)]);
});

test("a session made by the very send is watched from its first version on", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" } });
  expect(await h.send(a, b, "hello", { watch: true })).toMatchObject({ status: "ok", watched: true });
  await h.settle();
  await h.human(b, "change");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([expect.stringContaining("changesSince: 1.")]);
});

test("watched tells the truth: false for oneself, for a refusal and where it was not wanted; a repeat may still ask for it", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" } });
  expect(await h.send(a, "current", "note", { timeoutSeconds: 0, watch: true })).toMatchObject({ watched: false });
  expect(await h.send(a, "agent:b:nobody", "x", { watch: true })).toMatchObject({ status: "error", watched: false });
  expect(await h.send(a, b, "x", { watch: false })).toMatchObject({ status: "ok", watched: false });
  await h.send(a, b, "y", { idempotencyKey: "k" });
  await h.settle();
  await h.human(b, "not watched");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  expect(await h.send(a, b, "y", { idempotencyKey: "k", watch: true })).toMatchObject({ status: "ok", watched: true });
  await h.human(b, "watched");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toHaveLength(1);
  expect((await h.session(b)).watchCount).toBe(1);
});

test("unwatch ends it, and a new watch starts at the version of its day", async () => {
  const h = await watching();
  expect(await h.call(a, "sessions", { action: "unwatch", sessionKey: b })).toMatchObject({ status: "ok" });
  expect((await h.session(b)).watchCount).toBe(0);
  await h.human(b, "unseen");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  const { stateVersion } = await h.session(b);
  await h.send(a, b, "again", { watch: true });
  await h.settle();
  await h.human(b, "seen");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([expect.stringContaining(`changesSince: ${stateVersion}.`)]);
});

test("a notice survives a crash of the turn that was shown it: it is shown again, and its entry exists once", async () => {
  const h = await watching();
  await h.human(b, "change");
  await h.settle();
  const dying = await h.second({ script: { [`${a} inbound`]: hang } });
  await h.trunkline.stop();
  await h.human(a, "turn");
  await h.advance(5000);
  expect(dying.requests(a)[0]?.prompt.startsWith("The watched session")).toBe(true);
  await dying.trunkline.stop({ drainMs: 0 });
  await h.trunkline.start();
  await h.settle();
  expect((await h.runs(a)).map(({ state }) => state)).toEqual(["interrupted"]);
  await h.human(a, "turn after");
  await h.settle();
  expect(h.requests(a)[0]?.prompt.startsWith("The watched session")).toBe(true);
  expect(await notices(h)).toHaveLength(1);
  await h.human(a, "turn after that");
  await h.settle();
  expect(h.requests(a)[1]?.prompt).toBe("turn after that");
});

test("a notice reaches a watcher that runs in another process on the same file", async () => {
  const file = databaseFile();
  const h = await watching({ store: await file.open() });
  const other = await h.second({ store: await file.open() });
  await h.trunkline.stop();
  await h.human(b, "change");
  await other.human(a, "turn");
  await other.settle();
  expect(other.requests(a)[0]?.prompt.startsWith("The watched session")).toBe(true);
  expect(await notices(other)).toHaveLength(1);
});

test("after a reset of the watcher the open notice is told in its new transcript", async () => {
  const h = await watching();
  await h.human(b, "change");
  await h.settle();
  h.script({ [`${a} inbound`]: hang });
  await h.human(a, "turn that is cut off");
  await h.advance(0);
  await h.trunkline.resetSession(a);
  h.script({ [`${a} inbound`]: "NO_REPLY" });
  await h.human(b, "another change");
  await h.settle();
  await h.human(a, "hello again");
  await h.settle();
  expect(h.requests(a).at(-1)?.prompt.startsWith("The watched session")).toBe(true);
  expect(await notices(h)).toHaveLength(1);
});

test("an announce step is shown no notice: it waits for the next turn", async () => {
  const h = await watching();
  h.script({ [`${a} send`]: "said", [`${a} flow_announce`]: "ANNOUNCE_SKIP" });
  const sending = begin(h.send("agent:c:main", a, "q"));
  await sending.result();
  await h.settle();
  h.script({
    [`${a} send`]: async (request) => {
      await h.human(b, "change");
      return callTool(request, "session_status", {}).then(() => "said again");
    },
  });
  await h.send("agent:c:main", a, "q2");
  await h.settle();
  expect(h.requests(a).map(({ run, prompt }) => [run.kind, prompt.startsWith("The watched session")])).toEqual([
    ["send", false],
    ["flow_announce", false],
    ["send", false],
    ["flow_announce", false],
  ]);
  await h.human(a, "turn");
  await h.settle();
  expect(h.requests(a).at(-1)?.prompt.startsWith("The watched session")).toBe(true);
});
