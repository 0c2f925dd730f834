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
