import { expect, test } from "vitest";
import { answerAfter, callTool, databaseFile, type Harness, hang, openHarness } from "../harness.ts";
import { completions, main, spawn, spawnIn, spawning, spawningAndYielding, spawnsOf } from "../spawn/family.ts";

const slack = { channel: "slack" } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;

/** How often the main session was resumed, and what with. */
const resumes = (h: Harness) => h.requests(main).filter(({ run }) => run.kind === "resume");

test("a yield ends the turn; the resume holds the note, then the results in creation order, and its text is the reply", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: spawningAndYielding(["5000 slow", "1000 fast"], "compare the two"),
    child: (request) =>
      answerAfter(h.clock, Number(/\d+/.exec(request.prompt)?.[0]), request.prompt.slice(-4))(request),
    child_announce: "",
    resume: "the answer",
  });
  const { runId = "" } = await h.trunkline.receive(asked);
  await h.advance(1000);
  expect(await h.run(runId)).toMatchObject({ state: "yielded", replyText: null });
  const row = await h.session(main);
  expect(row).toMatchObject({ openYields: 1, activeRunId: null });
  expect(resumes(h)).toHaveLength(0);
  await h.advance(4000);
  await h.settle();
  const [resume, ...more] = resumes(h);
  expect(more).toEqual([]);
  const prompt = resume?.prompt ?? "";
  const at = ["compare the two", "Result: slow", "Result: fast"].map((text) => prompt.indexOf(text));
  expect(at.every((index) => index >= 0)).toBe(true);
  expect(at).toEqual([...at].sort((a, b) => a - b));
  expect(prompt).toContain("[Inter-session message sourceSession=agent:a:subagent:");
  expect(prompt).toContain("sourceTool=sessions_spawn isUser=false]");
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "the answer" });
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["the answer"]);
  expect(await completions(h, main)).toHaveLength(2);
  expect(await h.transcript(main)).not.toContain(expect.stringContaining("compare the two"));
});

test("what the runner says after its yield is stored and is no reply", async () => {
  const h = await openHarness({ channels: [slack], script: { child: hang } });
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "work" });
      await callTool(request, "sessions_yield", {});
      return { messages: [{ role: "assistant", content: "see you later" }] };
    },
  });
  const { runId = "" } = await h.trunkline.receive(asked);
  await h.advance(0);
  expect(await h.transcript(main)).toEqual(["user: go", "assistant: see you later"]);
  expect(await h.run(runId)).toMatchObject({ state: "yielded", replyText: null });
  expect(h.channel("slack").sent).toEqual([]);
});

test("a yield fires the run's signal at once with the reason yielded; a runner that gives up on it has yielded", async () => {
  const h = await openHarness({ script: { child: "r", resume: "done" } });
  let reason: unknown;
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "work" });
      await callTool(request, "sessions_yield", {});
      reason = request.signal.reason;
      request.signal.throwIfAborted();
      return "";
    },
  });
  const { runId } = await h.human(main, "go");
  await h.settle();
  expect(reason).toMatchObject({ name: "AbortError", message: "yielded" });
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "done" });
});

test("B84: a yield with nothing pending is an error and the turn goes on", async () => {
  const h = await openHarness({ channels: [slack] });
  let result: unknown;
  h.script({
    [`${main} inbound`]: async (request) => {
      result = await callTool(request, "sessions_yield", {});
      expect(request.signal.aborted).toBe(false);
      expect(await callTool(request, "sessions_list", {})).toHaveProperty("sessions");
      return "I went on";
    },
  });
  await h.trunkline.receive(asked);
  await h.settle();
  expect(result).toMatchObject({ status: "error", code: "nothing_pending" });
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["I went on"]);
});

test("a send is nothing to yield for, and a caller without a run has nothing pending", async () => {
  const h = await openHarness({ script: { "agent:b:main": hang, child: hang } });
  let result: unknown;
  h.script({
    [`${main} inbound`]: async (request) => {
      await callTool(request, "sessions_send", { sessionKey: "agent:b:main", message: "q", timeoutSeconds: 0 });
      result = await callTool(request, "sessions_yield", {});
      return "";
    },
  });
  await h.human(main, "go");
  await h.advance(0);
  expect(result).toMatchObject({ status: "error", code: "nothing_pending" });
  await spawn(h, main, { task: "work" });
  expect(await h.call(main, "sessions_yield", {})).toMatchObject({ status: "error", code: "nothing_pending" });
});

test("children of an earlier turn are already pending: the turn goes on, and what becomes of them stays as it was", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: spawning(["work"], "started"),
    child: answerAfter(h.clock, 5000, "r"),
    child_announce: "summary",
  });
  await h.trunkline.receive(asked);
  await h.advance(0);
  let result: unknown;
  h.script({
    [`${main} inbound`]: async (request) => {
      result = await callTool(request, "sessions_yield", {});
      return "went on";
    },
  });
  await h.trunkline.receive({ ...asked, text: "and?" });
  await h.advance(5000);
  await h.settle();
  const [spawned] = await spawnsOf(h, main);
  expect(result).toEqual({
    status: "already_pending",
    pending: [{ runId: spawned?.runId, childSessionKey: expect.any(String), state: "running" }],
  });
  expect(resumes(h)).toEqual([]);
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual([
    "started",
    "went on",
    (await completions(h, main))[0],
  ]);
});

test("after the mark every further tool call of the run is refused", async () => {
  const h = await openHarness({ script: { child: hang } });
  const results: unknown[] = [];
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "work" });
      await callTool(request, "sessions_yield", {});
      for (const name of ["sessions_yield", "sessions_list", "subagents", "sessions_spawn"] as const) {
        results.push(await callTool(request, name, name === "sessions_spawn" ? { task: "more" } : {}));
      }
      return "";
    },
  });
  await h.human(main, "go");
  await h.advance(0);
  expect(results).toHaveLength(4);
  for (const result of results) expect(result).toMatchObject({ status: "forbidden", code: "tool_not_allowed" });
  expect(await spawnsOf(h, main)).toHaveLength(1);
});

test("archiving a yielded session is refused as busy", async () => {
  const h = await openHarness({ script: { child: hang } });
  h.script({ inbound: spawningAndYielding(["work"]) });
  const { sessionKey } = await h.trunkline.receive({
    channel: "slack",
    peer: { kind: "group", id: "C1" },
    text: "go",
  });
  await h.advance(0);
  await expect(h.trunkline.patchSession(sessionKey, { archived: true })).rejects.toThrow("waits for sub-agents");
});

test("a yield that a host makes for a run through another process reaches the run: its signal fires, and it is resumed", async () => {
  const { open } = databaseFile();
  const first = await openHarness({ store: await open(), script: { child_announce: "", resume: "resumed" } });
  let reason: unknown;
  first.script({
    child: answerAfter(first.clock, 60_000, "r"),
    [`${main} inbound`]: (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => {
          reason = request.signal.reason.message;
          reject(request.signal.reason);
        });
        void spawnIn(request, { task: "work" });
      }),
  });
  const { runId } = await first.human(main, "go");
  await first.advance(0);
  const other = await openHarness({ store: await open(), clock: first.clock, start: false });
  expect(await other.call(main, "sessions_yield", {}, runId)).toMatchObject({ status: "yielded" });
  await first.advance(10_000);
  expect(reason).toBe("yielded");
  expect(await first.run(runId)).toMatchObject({ state: "yielded" });
  await first.advance(60_000);
  expect(await first.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "resumed" });
});
