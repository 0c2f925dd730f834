import { expect, test } from "vitest";
import { answerAfter, begin, callTool, type Harness, hang, openHarness } from "../harness.ts";
import { childKey, main, spawnIn, spawningAndYielding, spawnsOf } from "../spawn/family.ts";

const slack = { channel: "slack" } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;

/** How often the main session was resumed, and what with. */
const resumes = (h: Harness) => h.requests(main).filter(({ run }) => run.kind === "resume");

test("a message to a yielded session is an ordinary turn at once; the wait stays and the one resume comes after it", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: spawningAndYielding(["work"]),
    child: answerAfter(h.clock, 5000, "r"),
    resume: "resumed",
  });
  const { runId = "" } = await h.trunkline.receive(asked);
  await h.advance(0);
  h.script({ [`${main} inbound`]: answerAfter(h.clock, 8000, "meanwhile") });
  await h.trunkline.receive({ ...asked, text: "still there?" });
  await h.advance(5000);
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toMatchObject({ status: "timeout", phase: "yielded" });
  await h.advance(3000);
  await h.settle();
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["meanwhile", "resumed"]);
  expect(resumes(h)).toHaveLength(1);
  expect((await h.transcript(main)).map((line) => line.slice(0, 20))).toEqual([
    "user: go",
    "user: still there?",
    "assistant: meanwhile",
    "user: Status: succes",
    "assistant: resumed",
  ]);
});

test("a send to a yielded session is answered by an ordinary turn and does not wake it", async () => {
  const h = await openHarness({ config: { session: { agentToAgent: { maxPingPongTurns: 0 } } } });
  h.script({ [`${main} inbound`]: spawningAndYielding(["work"]), child: hang, [`${main} send`]: "busy, but here" });
  await h.human(main, "go");
  await h.advance(0);
  expect(await h.send("agent:b:main", main, "ping", { timeoutSeconds: 5 })).toMatchObject({
    status: "ok",
    reply: "busy, but here",
  });
  expect(await h.session(main)).toMatchObject({ openYields: 1 });
});

test("a resume may spawn and yield again: each yield resumes by itself, once", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "r", child_announce: "" } });
  let rounds = 0;
  const again = async (request: Parameters<typeof callTool>[0]) => {
    rounds++;
    if (rounds === 3) return "after three rounds";
    await spawnIn(request, { task: `round ${rounds}` });
    await callTool(request, "sessions_yield", {});
    return "";
  };
  h.script({ [`${main} inbound`]: again, resume: again });
  const { runId = "" } = await h.trunkline.receive(asked);
  await h.settle();
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "after three rounds" });
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["after three rounds"]);
  const [yields] = await h.store.read([{ find: "yield", index: "runId", equals: [], limit: 10 }]);
  expect(yields.map(({ state, pending }) => ({ state, pending }))).toEqual([
    { state: "resumed", pending: 0 },
    { state: "resumed", pending: 0 },
  ]);
  const chain = await h.runs(main);
  expect(new Set(chain.map(({ rootRunId }) => rootRunId))).toEqual(new Set([runId]));
});

test("a waiting send and waitForRun go on through the target's yield and get the resume's text, under the same runId", async () => {
  const h = await openHarness({ config: { session: { agentToAgent: { maxPingPongTurns: 0 } } } });
  h.script({
    [`${main} send`]: spawningAndYielding(["work"]),
    child: answerAfter(h.clock, 10_000, "r"),
    resume: "the answer",
    flow_announce: "ANNOUNCE_SKIP",
  });
  const sending = begin(h.send("agent:b:main", main, "question", { timeoutSeconds: 30 }));
  await h.advance(5000);
  expect(sending.done).toBe(false);
  const [primary] = await h.runs(main);
  const waiting = begin(h.trunkline.waitForRun(primary?.id ?? "", { timeoutMs: 30_000 }));
  await h.advance(5000);
  expect(await sending.result()).toMatchObject({ status: "ok", reply: "the answer", runId: primary?.id });
  expect(await waiting.result()).toEqual({ status: "ok", reply: "the answer" });
  const short = begin(h.send("agent:b:main", main, "question", { timeoutSeconds: 5 }));
  await h.advance(5000);
  expect(await short.result()).toMatchObject({ status: "timeout", phase: "yielded" });
  await h.advance(5000);
  await h.settle();
  const entries = (await h.rows("agent:b:main")).filter(({ provenance }) => provenance?.kind === "inter_session");
  expect(entries.map(({ body }) => body.content)).toEqual(["the answer"]);
});

test("B85: a cron parent that yields is yielded, not ok, until it was resumed", async () => {
  const h = await openHarness({ script: { child_announce: "", resume: "done" } });
  h.script({ "cron:nightly inbound": spawningAndYielding(["work"]), child: answerAfter(h.clock, 5000, "r") });
  const states: unknown[] = [];
  h.trunkline.events.subscribe({ types: ["run_ended"], sessionKey: "cron:nightly" }, ({ state }) => states.push(state));
  const { runId } = await h.trunkline.submit({
    sessionKey: "cron:nightly",
    agentId: "a",
    text: "run",
    actor: "system",
  });
  await h.advance(0);
  expect(await h.run(runId)).toMatchObject({ state: "yielded" });
  const list = await h.call("cron:nightly", "sessions_list", {});
  expect("sessions" in list && list.sessions.find(({ key }) => key === "cron:nightly")?.status).toBe("yielded");
  expect((await h.stateEvents("cron:nightly")).map(({ kind }) => kind)).not.toContain("run_completed");
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toMatchObject({ status: "timeout", phase: "yielded" });
  await h.advance(5000);
  await h.settle();
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "done" });
  expect(states).toEqual(["yielded", "ok"]);
});

test("a nested yield resumes level by level", async () => {
  const config = { agents: { defaults: { subagents: { maxSpawnDepth: 3 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config, script: { child_announce: "" } });
  h.script({
    [`${main} inbound`]: spawningAndYielding(["level"]),
    child: async (request) => {
      if (request.session.spawnDepth === 3) return "bottom";
      await spawnIn(request, { task: "level" });
      await callTool(request, "sessions_yield", {});
      return "";
    },
    resume: (request) => `${request.session.spawnDepth}(${/Result: (.*)/.exec(request.prompt)?.[1]})`,
  });
  const { runId } = await h.human(main, "go");
  await h.settle();
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "0(1(2(bottom)))" });
  const [first] = await spawnsOf(h, main);
  if (!first) throw new Error("no child");
  expect(h.requests(await childKey(h, first)).map(({ run }) => run.kind)).toEqual([
    "child",
    "resume",
    "child_announce",
  ]);
});
