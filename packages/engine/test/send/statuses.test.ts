import { expect, test } from "vitest";
import { answerAfter, begin, hang, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const quiet = { session: { agentToAgent: { maxPingPongTurns: 0 } } };

test("scenario 1: a waited send gives the reply of its own run, and the target's row tells where the message came from", async () => {
  const h = await openHarness();
  h.script({ [`${b} send`]: answerAfter(h.clock, 2000, "42") });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 10 }));
  await h.advance(1999);
  expect(sending.done).toBe(false);
  await h.advance(1);
  const result = await sending.result();
  const [run] = await h.runs(b);
  expect(result).toEqual({
    status: "ok",
    reply: "42",
    sessionKey: b,
    runId: run?.id,
    delivery: { status: "pending", mode: "announce" },
  });
  const [input] = await h.rows(b);
  expect(input).toMatchObject({
    role: "user",
    runId: run?.id,
    body: { content: "q" },
    provenance: { kind: "inter_session", sourceSessionKey: a, sourceTool: "sessions_send", hop: 0 },
  });
});

test("scenario 3: a send that does not wait is accepted at once, and its run goes on for an hour", async () => {
  const h = await openHarness({ config: quiet });
  h.script({ [b]: answerAfter(h.clock, 3_600_000, "done") });
  const before = h.clock.now();
  const result = await h.send(a, b, "work", { timeoutSeconds: 0 });
  expect(result).toEqual({
    status: "accepted",
    runId: expect.any(String),
    sessionKey: b,
    delivery: { status: "pending", mode: "announce" },
  });
  expect(h.clock.now()).toBe(before);
  await h.advance(0);
  expect(h.requests(b)).toHaveLength(1);
  expect((await h.runs(b))[0]?.state).toBe("running");
});

test("scenario 4: a wait that runs out leaves the run going; its reply comes later and the exchange follows once", async () => {
  const h = await openHarness({
    config: { session: { agentToAgent: { maxPingPongTurns: 1 } } },
    script: { turn: "thanks", flow_announce: "ANNOUNCE_SKIP" },
  });
  h.script({ [`${b} send`]: answerAfter(h.clock, 20_000, "late answer") });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 5 }));
  await h.advance(5000);
  const result = await sending.result();
  expect(result).toMatchObject({ status: "timeout", phase: "running", sessionKey: b, delivery: { status: "pending" } });
  expect(result).toHaveProperty("runId", (await h.runs(b))[0]?.id);
  expect(result).not.toHaveProperty("reply");
  await h.advance(15_000);
  await h.settle();
  expect((await h.runs(b)).map(({ kind, state }) => [kind, state])).toEqual([
    ["send", "ok"],
    ["flow_announce", "ok"],
  ]);
  expect((await h.runs(a)).map(({ kind, state }) => [kind, state])).toEqual([["turn", "ok"]]);
  expect(await h.transcript(a)).toEqual(["user: late answer", "assistant: thanks"]);
});

test("scenario 5: a run that fails gives the error with its runId, and neither exchange nor announce", async () => {
  const h = await openHarness({
    script: {
      [b]: () => {
        throw new Error("model refused");
      },
    },
  });
  const result = await h.send(a, b, "q");
  await h.settle();
  const runs = await h.runs(b);
  expect(result).toEqual({ status: "error", code: "run_failed", error: "model refused", runId: runs[0]?.id });
  expect(runs).toHaveLength(1);
  expect(h.runner.requests).toHaveLength(1);
  expect(await h.rows(a)).toEqual([]);
});

test("scenario 6: a runner that retries inside its run reports only its final answer", async () => {
  const h = await openHarness({ config: quiet });
  h.script({
    [`${b} send`]: async (request) => {
      request.emit({ type: "text", text: "first attempt" });
      return answerAfter(h.clock, 4000, "second attempt")(request);
    },
  });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 10 }));
  await h.advance(4000);
  expect(await sending.result()).toMatchObject({ status: "ok", reply: "second attempt" });
});

test("scenario 7: a runner that recovers after the wait ran out is answered later with its final text", async () => {
  const h = await openHarness({ config: quiet });
  h.script({ [`${b} send`]: answerAfter(h.clock, 12_000, "recovered") });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 5 }));
  await h.advance(5000);
  expect(await sending.result()).toMatchObject({ status: "timeout" });
  await h.advance(7000);
  await h.settle();
  expect(await h.transcript(a)).toEqual(["user: recovered"]);
  expect(await h.runs(a)).toEqual([]);
});

test("a timeout tells whether the run was queued or running", async () => {
  const h = await openHarness({ config: quiet });
  h.script({ [b]: answerAfter(h.clock, 10_000, "x") });
  await h.send(a, b, "first", { timeoutSeconds: 0 });
  await h.advance(0);
  const second = begin(h.send("agent:c:main", b, "second", { timeoutSeconds: 1 }));
  await h.advance(0);
  const third = begin(h.send(a, b, "third", { timeoutSeconds: 12 }));
  await h.advance(1000);
  expect(await second.result()).toMatchObject({ status: "timeout", phase: "queued" });
  await h.advance(11_000);
  expect(await third.result()).toMatchObject({ status: "timeout", phase: "queued" });
  await h.advance(60_000);
  await h.settle();
  expect((await h.runs(b)).map(({ state }) => state)).toEqual(Array(6).fill("ok"));
});

test("a cancelled run, a queued one too, gives run_cancelled to whoever waits", async () => {
  const h = await openHarness({ script: { [b]: hang } });
  const first = begin(h.send(a, b, "one", { timeoutSeconds: 100 }));
  await h.advance(0);
  const second = begin(h.send("agent:c:main", b, "two", { timeoutSeconds: 100 }));
  await h.advance(0);
  await h.trunkline.abort({ sessionKey: b });
  await h.settle();
  expect(await first.result()).toMatchObject({ status: "error", code: "run_cancelled", runId: expect.any(String) });
  expect(await second.result()).toMatchObject({ status: "error", code: "run_cancelled", runId: expect.any(String) });
  expect(h.requests(b)).toHaveLength(1);
});

test("a run that failed after the wait leaves one entry with the error", async () => {
  const h = await openHarness();
  h.script({
    [b]: async (request) => {
      await answerAfter(h.clock, 5000, "")(request);
      throw new Error("out of memory");
    },
  });
  await h.send(a, b, "q", { timeoutSeconds: 0 });
  await h.advance(5000);
  await h.settle();
  const rows = await h.rows(a);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ role: "user", provenance: { kind: "inter_session", sourceSessionKey: b } });
  expect(rows[0]?.body.content).toContain("out of memory");
  expect(await h.runs(a)).toEqual([]);
});

test("the same run can be waited on again and again, and in another process", async () => {
  const h = await openHarness({ config: quiet });
  h.script({ [b]: answerAfter(h.clock, 10_000, "here") });
  const sent = await h.send(a, b, "q", { timeoutSeconds: 0 });
  const runId = "runId" in sent ? (sent.runId ?? "") : "";
  const other = await h.second({ start: false });
  const short = begin(other.trunkline.waitForRun(runId, { timeoutMs: 1000 }));
  const long = begin(other.trunkline.waitForRun(runId, { timeoutMs: 60_000 }));
  await h.advance(1000);
  expect(await short.result()).toMatchObject({ status: "timeout", phase: "running" });
  await h.advance(10_000);
  expect(await long.result()).toEqual({ status: "ok", reply: "here" });
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "here" });
});
