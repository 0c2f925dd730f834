import { expect, test } from "vitest";
import { answerAfter, begin, callTool, hang, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";

function turns(maxPingPongTurns: number) {
  return { session: { agentToAgent: { maxPingPongTurns } } };
}

test("scenario 14: turns alternate from the requester on, each with the other side's last text, then one announce", async () => {
  const h = await openHarness({ script: { flow_announce: "ANNOUNCE_SKIP", [`${b} send`]: "reply" } });
  h.script({ turn: (request) => `text ${h.runner.requests.indexOf(request)}` });
  expect(await h.send(a, b, "question")).toMatchObject({ status: "ok", reply: "reply" });
  await h.settle();
  const order = h.runner.requests.map(({ session, run }) => `${session.agentId} ${run.kind}`);
  expect(order).toEqual(["b send", "a turn", "b turn", "a turn", "b turn", "a turn", "b flow_announce"]);
  const inputs = ["reply", "text 1", "text 2", "text 3", "text 4"];
  for (const [index, input] of inputs.entries()) {
    const prompt = h.runner.requests[index + 1]?.prompt ?? "";
    expect(prompt).toContain(`turn ${index + 1} of 5`);
    expect(prompt).toContain(index % 2 === 0 ? "the session that asked" : "the session that was asked");
    expect(prompt.endsWith(input)).toBe(true);
    expect(prompt).toContain(`sourceSession=${index % 2 === 0 ? b : a}`);
  }
  expect(await h.transcript(a)).toEqual([
    "user: reply",
    "assistant: text 1",
    "user: text 2",
    "assistant: text 3",
    "user: text 4",
    "assistant: text 5",
  ]);
});

test("scenario 15: without turns there is one announce and no loop; the limit is 20, anything else is a configuration error", async () => {
  const none = await openHarness({ config: turns(0), script: { default: "text", flow_announce: "ANNOUNCE_SKIP" } });
  await none.send(a, b, "q");
  await none.settle();
  expect(none.runner.requests.map(({ run }) => run.kind)).toEqual(["send", "flow_announce"]);
  const most = await openHarness({ config: turns(20), script: { default: "text", flow_announce: "ANNOUNCE_SKIP" } });
  await most.send(a, b, "q");
  await most.settle();
  expect(most.runner.requests.filter(({ run }) => run.kind === "turn")).toHaveLength(20);
  for (const wrong of [-3, 7.9, 99, Number.NaN]) {
    await expect(openHarness({ config: turns(wrong) })).rejects.toMatchObject({
      code: "invalid_config",
      path: "session.agentToAgent.maxPingPongTurns",
    });
  }
});

test("scenario 16: a skip word from either side ends the exchange, and the latest text is kept", async () => {
  for (const [skipper, latest, count] of [
    ["a", "round one", 1],
    ["b", "from the requester", 2],
  ] as const) {
    const h = await openHarness({
      script: {
        [`${b} send`]: "round one",
        [`${a} turn`]: skipper === "a" ? "REPLY_SKIP" : "from the requester",
        [`${b} turn`]: "REPLY_SKIP",
        flow_announce: "ANNOUNCE_SKIP",
      },
    });
    await h.send(a, b, "q");
    await h.settle();
    expect(h.runner.requests.filter(({ run }) => run.kind === "turn")).toHaveLength(count);
    const prompt = h.requests(b).at(-1)?.prompt ?? "";
    expect(prompt).toContain(`Latest reply:\n${latest}`);
    expect(prompt).not.toContain("REPLY_SKIP");
  }
});

test("scenario 17: a skip word counts alone and exactly, white space around it aside", async () => {
  const cases = [
    [" REPLY_SKIP\n", 1],
    ["NO_REPLY", 1],
    ["ANNOUNCE_SKIP", 1],
    ["", 1],
    ["REPLY_SKIP because done", 2],
    ["reply_skip", 2],
    ['"REPLY_SKIP"', 2],
  ] as const;
  for (const [word, count] of cases) {
    const h = await openHarness({
      config: turns(2),
      script: { [`${b} send`]: "text", [`${a} turn`]: word, [`${b} turn`]: "more", flow_announce: "ANNOUNCE_SKIP" },
    });
    await h.send(a, b, "q");
    await h.settle();
    const taken = h.runner.requests.filter(({ run }) => run.kind === "turn").length;
    expect([word, taken]).toEqual([word, count]);
  }
});

test("a turn that fails, is aborted or takes ten minutes ends the exchange; the announce follows", async () => {
  for (const how of ["fails", "aborted", "hangs"] as const) {
    const h = await openHarness({
      script: { [`${b} send`]: "round one", flow_announce: "ANNOUNCE_SKIP", [`${b} turn`]: "never" },
    });
    h.script({
      [`${a} turn`]: (request) => {
        if (how === "fails") throw new Error("broken");
        return hang(request);
      },
    });
    await h.send(a, b, "q");
    await h.advance(0);
    if (how === "aborted") await h.trunkline.abort({ sessionKey: a });
    if (how === "hangs") await h.advance(599_999);
    if (how === "hangs") expect(h.requests(b)).toHaveLength(1);
    if (how === "hangs") await h.advance(1);
    await h.settle();
    const state = { fails: "error", aborted: "cancelled", hangs: "timeout" }[how];
    expect((await h.runs(a)).map((run) => run.state)).toEqual([state]);
    expect(h.requests(b).map(({ run }) => run.kind)).toEqual(["send", "flow_announce"]);
    expect(h.requests(b).at(-1)?.prompt).toContain("Latest reply:\nround one");
  }
});

test("a session that hears from its parent or its child exchanges nothing and announces nothing", async () => {
  const h = await openHarness({ script: { default: "text", child: "ready", child_announce: "ready" } });
  await h.human(a, "hi");
  const spawned = await h.call(a, "sessions_spawn", { task: "wait for mail" });
  if (spawned.status !== "accepted") throw new Error("no child");
  await h.settle();
  const before = h.runner.requests.length;
  const down = await h.send(a, spawned.childSessionKey, "go on");
  expect(down).toMatchObject({ status: "ok", reply: "text", delivery: { status: "skipped" } });
  await h.settle();
  expect(h.runner.requests.slice(before).map(({ run }) => run.kind)).toEqual(["send"]);
});

test("scenario 22: two senders at once get each its own run's reply, one after the other, and both exchanges end", async () => {
  const c = "agent:c:main";
  const h = await openHarness({ config: turns(2), script: { flow_announce: "ANNOUNCE_SKIP", turn: "more" } });
  let going = 0;
  h.script({
    [`${b} send`]: async (request) => {
      expect(++going).toBe(1);
      const text = `for ${request.run.causeSessionKey}`;
      await answerAfter(h.clock, 1000, "")(request);
      going--;
      return text;
    },
  });
  const fromA = begin(h.send(a, b, "x", { timeoutSeconds: 60 }));
  const fromC = begin(h.send(c, b, "y", { timeoutSeconds: 60 }));
  await h.advance(60_000);
  expect(await fromA.result()).toMatchObject({ status: "ok", reply: `for ${a}` });
  expect(await fromC.result()).toMatchObject({ status: "ok", reply: `for ${c}` });
  await h.settle();
  const runs = await h.runs(b);
  expect(runs.map(({ kind }) => kind).toSorted()).toEqual(
    ["send", "send", "turn", "turn", "flow_announce", "flow_announce"].toSorted(),
  );
  for (const [index, run] of runs.entries()) {
    expect(run.state).toBe("ok");
    const next = runs[index + 1];
    if (next) expect(next.startSeq ?? 0).toBeGreaterThanOrEqual(run.endSeq ?? Number.POSITIVE_INFINITY);
  }
});

test("scenario 23: two sessions that wait for each other end by their own limits, and later sends succeed", async () => {
  const h = await openHarness({ config: turns(0), script: { default: "ANNOUNCE_SKIP" } });
  const seen: unknown[] = [];
  h.script({
    [`${a} inbound`]: async (request) => {
      seen.push(await callTool(request, "sessions_send", { sessionKey: b, message: "m", timeoutSeconds: 20 }));
      return "a done";
    },
    [`${b} inbound`]: async (request) => {
      seen.push(await callTool(request, "sessions_send", { sessionKey: a, message: "m", timeoutSeconds: 10 }));
      return "b done";
    },
    send: "answered",
  });
  await h.human(a, "go");
  await h.human(b, "go");
  await h.advance(10_000);
  expect(seen).toEqual([
    expect.objectContaining({ status: "timeout", phase: "queued" }),
    expect.objectContaining({ status: "ok", reply: "answered" }),
  ]);
  await h.settle();
  expect(await h.send(a, b, "later")).toMatchObject({ status: "ok", reply: "answered" });
  await h.settle();
});

test("a session whose only lane slot waits for another lets that one run", async () => {
  const h = await openHarness({ config: turns(0), lanes: { main: 1, nested: 1 }, script: { default: "NO_REPLY" } });
  h.script({
    [`${a} inbound`]: (request) =>
      callTool(request, "sessions_send", { sessionKey: b, message: "m" }).then((result) => JSON.stringify(result)),
    [`${b} send`]: (request) =>
      callTool(request, "sessions_send", { agentId: "c", message: "m" }).then((result) => JSON.stringify(result)),
    "agent:c:main send": "the end",
  });
  await h.human(a, "go");
  await h.settle();
  expect((await h.transcript(a)).at(-1)).toContain("the end");
});

test("an exchange whose target or requester is deleted meanwhile is over, and starts nothing more", async () => {
  for (const gone of ["target", "requester"] as const) {
    const sides = { requester: "agent:a:side", target: "agent:b:side" };
    const h = await openHarness({ script: { default: "NO_REPLY", [`${sides.target} send`]: "text" } });
    for (const key of Object.values(sides)) await h.human(key, "hi");
    await h.settle();
    h.script({ turn: answerAfter(h.clock, 5000, "late turn") });
    await h.send(sides.requester, sides.target, "q");
    await h.advance(1000);
    await h.trunkline.deleteSession(sides[gone]);
    await h.advance(60_000);
    await h.settle();
    const [flow] = await h.store.read([{ find: "flow", index: "primaryRun", equals: [], limit: 1 }]);
    expect([gone, flow[0]?.phase]).toEqual([gone, "done"]);
  }
});
