import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, begin, type Harness, openHarness } from "../harness.ts";

const a = "agent:a:main";
type Mode = "followup" | "collect" | "steer";

async function chat(mode: Mode, queue: { debounceMs?: number; cap?: number } = {}, steers = false) {
  const h = await openHarness({
    config: { messages: { queue: { mode, ...queue } } },
    channels: [{ channel: "telegram" }, { channel: "slack" }],
    steers,
  });
  h.script({ [a]: answerAfter(h.clock, 1000, "answer") });
  const say = (text: string, channel = "telegram") =>
    h.trunkline.receive({ channel, peer: { kind: "direct", id: "9" }, text });
  return { h, say };
}

function prompts(h: Harness): readonly string[] {
  return h.requests(a).map(({ prompt }) => prompt);
}

test("followup: each message that arrives mid-run is a turn of its own, in order", async () => {
  const { h, say } = await chat("followup");
  for (const text of ["1", "2", "3"]) await say(text);
  await h.advance(5000);
  await h.settle();
  expect(prompts(h)).toEqual(["1", "2", "3"]);
  expect(await h.transcript(a)).toEqual([
    "user: 1",
    "assistant: answer",
    "user: 2",
    "assistant: answer",
    "user: 3",
    "assistant: answer",
  ]);
});

test("collect: messages that arrived mid-run are one turn, whose answer is everybody's", async () => {
  const { h, say } = await chat("collect");
  await say("1");
  await h.advance(100);
  const waiting = [];
  for (const text of ["2", "3", "4"]) waiting.push(await say(text));
  const waits = waiting.map(({ runId }) => begin(h.trunkline.waitForRun(runId ?? "", { timeoutMs: 60_000 })));
  await h.advance(5000);
  await h.settle();
  expect(prompts(h)).toEqual(["1", "2\n\n3\n\n4"]);
  expect(await h.transcript(a)).toEqual([
    "user: 1",
    "assistant: answer",
    "user: 2",
    "user: 3",
    "user: 4",
    "assistant: answer",
  ]);
  for (const wait of waits) expect(await wait.result()).toEqual({ status: "ok", reply: "answer" });
  const runs = await h.runs(a);
  expect(runs.map(({ state }) => state)).toEqual(["ok", "ok", "merged", "merged"]);
  expect(runs.map(({ successorId }) => successorId)).toEqual([null, null, runs[1]?.id, runs[1]?.id]);
  expect(h.channel("telegram").sent).toHaveLength(2);
  expect(await h.session(a)).toMatchObject({ queuedRuns: 0, pendingRows: 0, activeRunId: null });
});

test("collect: only neighbours of one origin become one turn", async () => {
  const { h, say } = await chat("collect");
  await say("1");
  await h.advance(100);
  await say("2");
  await say("3", "slack");
  await say("4", "slack");
  await h.send("agent:b:main", a, "between", { timeoutSeconds: 0 });
  await say("5");
  await say("6");
  await h.advance(60_000);
  await h.settle();
  expect(prompts(h).map((prompt) => prompt.split("\n").filter((line) => /^(\d|between)$/.test(line)))).toEqual([
    ["1"],
    ["2"],
    ["3", "4"],
    ["between"],
    ["5", "6"],
    ["between"],
  ]);
  expect(h.channel("slack").sent).toHaveLength(1);
});

test("collect: the turn waits until no message has come for debounceMs; a message into a session at rest does not wait", async () => {
  const { h, say } = await chat("collect", { debounceMs: 700 });
  await say("1");
  await h.advance(0);
  expect(prompts(h)).toEqual(["1"]);
  await h.advance(900);
  await say("2");
  await h.advance(400);
  expect(prompts(h)).toHaveLength(1);
  await say("3");
  await h.advance(699);
  expect(prompts(h)).toHaveLength(1);
  await h.advance(1);
  expect(prompts(h)).toEqual(["1", "2\n\n3"]);
  await h.advance(1000);
  await h.settle();
});

test("over the cap the oldest waiting texts become one turn, and none is dropped", async () => {
  for (const mode of ["followup", "collect"] as const) {
    const { h, say } = await chat(mode, { cap: 3 });
    const all = ["1", "2", "3", "4", "5", "6"];
    const runIds = [];
    for (const text of all) {
      runIds.push((await say(text)).runId ?? "");
      await h.advance(1);
    }
    expect((await h.session(a)).queuedRuns).toBe(3);
    await h.advance(60_000);
    await h.settle();
    expect(prompts(h)).toEqual(mode === "collect" ? ["1", "2\n\n3\n\n4\n\n5\n\n6"] : ["1", "2\n\n3\n\n4", "5", "6"]);
    const texts = (await h.transcript(a)).filter((line) => line.startsWith("user")).map((line) => line.slice(6));
    expect(texts).toEqual(all);
    for (const runId of runIds) {
      expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "answer" });
    }
  }
});

test("over the cap texts of different chats stay apart: an answer must not go to the wrong one", async () => {
  const { h, say } = await chat("followup", { cap: 2 });
  await say("1");
  await h.advance(1);
  for (const [text, channel] of [
    ["t1", "telegram"],
    ["s1", "slack"],
    ["t2", "telegram"],
    ["s2", "slack"],
    ["s3", "slack"],
    ["s4", "slack"],
  ] as const)
    await say(text, channel);
  await h.advance(60_000);
  await h.settle();
  expect(prompts(h)).toEqual(["1", "t1", "s1", "t2", "s2\n\ns3", "s4"]);
});

test("steer: a runner that steers gets the text mid-run, and its row stands at that point of the turn", async () => {
  const { h, say } = await chat("steer", {}, true);
  const taken: string[] = [];
  h.script({
    [a]: async (request: RunRequest) => {
      request.emit({ type: "message", message: { role: "assistant", content: "step 1" } });
      await answerAfter(h.clock, 1000, "")(request);
      taken.push(...((await request.takeInput?.()) ?? []));
      taken.push(...((await request.takeInput?.()) ?? []));
      request.emit({ type: "message", message: { role: "assistant", content: "step 2" } });
      return { text: "done" };
    },
  });
  await say("go");
  await h.advance(100);
  const steered = await say("turn left");
  await h.advance(900);
  await h.settle();
  expect(taken).toEqual(["turn left"]);
  expect(h.requests(a)).toHaveLength(1);
  expect(await h.transcript(a)).toEqual([
    "user: go",
    "assistant: step 1",
    "user: turn left",
    "assistant: step 2",
    "assistant: done",
  ]);
  expect(await h.trunkline.waitForRun(steered.runId ?? "", { timeoutMs: 0 })).toEqual({ status: "ok", reply: "done" });
  expect(h.channel("telegram").sent).toHaveLength(1);
});

test("steer: a text that the runner did not take, or whose turn failed, is an ordinary next turn", async () => {
  for (const how of ["not taken", "failed"] as const) {
    const { h, say } = await chat("steer", {}, true);
    let first = true;
    h.script({
      [a]: async (request: RunRequest) => {
        if (!first) return "second turn";
        first = false;
        await answerAfter(h.clock, 1000, "")(request);
        if (how === "not taken") return "first turn";
        await request.takeInput?.();
        throw new Error("broken");
      },
    });
    await say("go");
    await h.advance(100);
    await say("turn left");
    await h.advance(900);
    await h.settle();
    expect(prompts(h)).toEqual(["go", "turn left"]);
    expect((await h.transcript(a)).filter((line) => line === "user: turn left")).toHaveLength(1);
    expect((await h.runs(a)).at(-1)?.state).toBe("ok");
    expect(h.requests(a)[1]?.messages.some(({ content }) => content === "turn left")).toBe(false);
  }
});

test("steer: without a runner that steers messages follow as turns", async () => {
  const { h, say } = await chat("steer");
  await say("1");
  await h.advance(100);
  await say("2");
  await h.advance(5000);
  await h.settle();
  expect(prompts(h)).toEqual(["1", "2"]);
  expect(h.requests(a)[0]).not.toHaveProperty("takeInput");
});

test("a channel may have a mode of its own", async () => {
  const h = await openHarness({
    config: { messages: { queue: { mode: "followup", byChannel: { telegram: "collect" } } } },
    channels: [{ channel: "telegram" }],
  });
  h.script({ [a]: answerAfter(h.clock, 1000, "answer") });
  for (const text of ["1", "2", "3"]) {
    await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "9" }, text });
    await h.advance(1);
  }
  await h.advance(10_000);
  await h.settle();
  expect(prompts(h)).toEqual(["1", "2\n\n3"]);
});
