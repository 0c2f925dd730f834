import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, begin, callTool, databaseFile, hang, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const quiet = { session: { agentToAgent: { maxPingPongTurns: 0 } } };

test("an answer given in line leaves no entry; a late one leaves exactly one, which starts no run", async () => {
  const h = await openHarness({ config: quiet, script: { flow_announce: "ANNOUNCE_SKIP" } });
  h.script({ [`${b} send`]: answerAfter(h.clock, 3000, "reply") });
  const inline = begin(h.send(a, b, "one", { timeoutSeconds: 10 }));
  await h.advance(3000);
  expect(await inline.result()).toMatchObject({ status: "ok", reply: "reply" });
  await h.settle();
  expect(await h.rows(a)).toEqual([]);
  const late = begin(h.send(a, b, "two", { timeoutSeconds: 1 }));
  await h.advance(1000);
  expect(await late.result()).toMatchObject({ status: "timeout" });
  await h.advance(2000);
  await h.settle();
  const rows = await h.rows(a);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    role: "user",
    body: { content: "reply" },
    provenance: { kind: "inter_session", sourceSessionKey: b, sourceTool: "sessions_send" },
  });
  await h.advance(60_000);
  expect(await h.runs(a)).toEqual([]);
});

test("an answer at the very moment at which the wait ends is given once: in line or as an entry", async () => {
  for (const delay of [1999, 2000, 2001]) {
    const h = await openHarness({ config: quiet, script: { flow_announce: "ANNOUNCE_SKIP" } });
    h.script({ [`${b} send`]: answerAfter(h.clock, delay, "reply") });
    const sending = begin(h.send(a, b, "q", { timeoutSeconds: 2 }));
    await h.advance(5000);
    await h.settle();
    const result = await sending.result();
    const entries = (await h.rows(a)).length;
    expect([delay, result.status, entries]).toEqual([delay, result.status, result.status === "ok" ? 0 : 1]);
  }
});

test("with a loop the late reply is turn 1's input and no entry besides", async () => {
  const h = await openHarness({ script: { turn: "REPLY_SKIP", flow_announce: "ANNOUNCE_SKIP" } });
  h.script({ [`${b} send`]: answerAfter(h.clock, 3000, "late") });
  await h.send(a, b, "q", { timeoutSeconds: 0 });
  await h.advance(3000);
  await h.settle();
  expect(await h.transcript(a)).toEqual(["user: late", "assistant: REPLY_SKIP"]);
  expect((await h.runs(a)).map(({ kind }) => kind)).toEqual(["turn"]);
});

test("a requester that is at work keeps its turn whole: the entry comes after it", async () => {
  const h = await openHarness({
    config: quiet,
    script: { [`${b} send`]: "the answer", flow_announce: "ANNOUNCE_SKIP" },
  });
  h.script({
    [`${a} inbound`]: async (request) => {
      await callTool(request, "sessions_send", { sessionKey: b, message: "q", timeoutSeconds: 0 });
      await answerAfter(h.clock, 5000, "")(request);
      return {
        messages: [
          { role: "assistant", content: [{ type: "toolCall", id: "1", name: "sessions_send", arguments: {} }] },
          { role: "toolResult", toolCallId: "1", content: "accepted" },
          { role: "assistant", content: "asked" },
        ],
      };
    },
  });
  await h.human(a, "go");
  await h.advance(5000);
  await h.settle();
  expect((await h.rows(a)).map(({ role, body }) => [role, body.content])).toEqual([
    ["user", "go"],
    ["assistant", [{ type: "toolCall", id: "1", name: "sessions_send", arguments: {} }]],
    ["toolResult", "accepted"],
    ["assistant", "asked"],
    ["user", "the answer"],
  ]);
});

test("a run that ends without hearing its waiting send gets the answer as an entry", async () => {
  for (const ending of ["returns", "fails", "cancelled"] as const) {
    const h = await openHarness({ config: quiet, script: { flow_announce: "ANNOUNCE_SKIP" } });
    h.script({ [`${b} send`]: answerAfter(h.clock, 5000, "unheard") });
    h.script({
      [`${a} inbound`]: async (request: RunRequest) => {
        void callTool(request, "sessions_send", { sessionKey: b, message: "q", timeoutSeconds: 60 });
        await answerAfter(h.clock, 1000, "")(request);
        if (ending === "fails") throw new Error("broken");
        return ending === "cancelled" ? hang(request) : "not waiting";
      },
    });
    await h.human(a, "go");
    await h.advance(2000);
    if (ending === "cancelled") await h.trunkline.abort({ sessionKey: a });
    await h.advance(10_000);
    await h.settle();
    const entries = (await h.transcript(a)).filter((line) => line === "user: unheard");
    expect([ending, entries.length]).toEqual([ending, 1]);
  }
});

test("a requester that dies with its answer gets it as an entry, once, also when the answer had come before", async () => {
  for (const when of ["before the answer", "after the answer"] as const) {
    const file = databaseFile();
    const h = await openHarness({ config: quiet, store: await file.open(), start: false });
    const dying = await h.second({ start: true, script: { flow_announce: "ANNOUNCE_SKIP" } });
    dying.script({
      [`${b} send`]: answerAfter(h.clock, 5000, "the answer"),
      [`${a} inbound`]: async (request) => {
        await callTool(request, "sessions_send", { sessionKey: b, message: "q", timeoutSeconds: 60 });
        return hang(request);
      },
    });
    await dying.human(a, "go");
    await h.advance(when === "after the answer" ? 6000 : 1000);
    await dying.trunkline.stop({ drainMs: 0 });
    h.script({ default: "NO_REPLY", [`${b} send`]: "never called again" });
    await h.trunkline.start();
    await h.settle();
    const [run] = await h.runs(a);
    expect(run?.state).toBe("interrupted");
    const lines = await h.transcript(a);
    const answer = when === "after the answer" ? "user: the answer" : /The run failed/;
    expect(lines.filter((line) => line.match(answer))).toHaveLength(1);
  }
});

test("a target that yields keeps its sender waiting: the answer is the resumed run's text", async () => {
  const h = await openHarness({
    config: quiet,
    script: { flow_announce: "ANNOUNCE_SKIP", child_announce: "child says 7" },
  });
  h.script({
    [`${b} send`]: async (request) => {
      await callTool(request, "sessions_spawn", { task: "count" });
      await callTool(request, "sessions_yield", {});
      return "this is no reply";
    },
    child: answerAfter(h.clock, 5000, "7"),
    [`${b} resume`]: "the count is 7",
  });
  const short = begin(h.send(a, b, "count it", { timeoutSeconds: 2 }));
  const long = begin(h.send("agent:c:main", b, "count it too", { timeoutSeconds: 60 }));
  await h.advance(2000);
  expect(await short.result()).toMatchObject({ status: "timeout", phase: "yielded" });
  expect(long.done).toBe(false);
  await h.advance(20_000);
  expect(await long.result()).toMatchObject({ status: "ok", reply: "the count is 7" });
  await h.settle();
  expect(await h.transcript(a)).toEqual(["user: the count is 7"]);
});

test("a reply passes through the view: reasoning and secrets do not cross", async () => {
  const token = ["gh", "p_", "A1b2".repeat(9)].join("");
  const h = await openHarness({
    config: { session: { agentToAgent: { maxPingPongTurns: 1 } } },
    script: { [`${b} send`]: `<think>plan</think>the token is ${token}`, flow_announce: "ANNOUNCE_SKIP" },
  });
  h.script({ [`${a} turn`]: `<think>hm</think>keep ${token}` });
  const result = await h.send(a, b, "q");
  await h.settle();
  expect(JSON.stringify(result)).not.toContain("plan");
  for (const { prompt, run } of h.runner.requests) {
    expect([run.kind, prompt.includes("<think>"), prompt.includes(token)]).toEqual([run.kind, false, false]);
  }
  expect(JSON.stringify(result)).not.toContain(token);
  expect((await h.rows(b)).some(({ body }) => String(body.content).includes(token))).toBe(true);
});

test("a message over 16 MiB is refused as too large and leaves nothing", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  const result = await h.send(a, b, "x".repeat(17 * 2 ** 20), { timeoutSeconds: 0 });
  expect(result).toMatchObject({ status: "error", code: "too_large" });
  expect(await h.find(b)).toBeUndefined();
});

test("between cron or hook and another session there is an answer but never a turn of the cron or hook session", async () => {
  for (const key of ["cron:daily", "hook:5d1f0a5e-9e4c-4c59-8a1c-6f2d8f3f0f11"]) {
    const h = await openHarness({ script: { default: "NO_REPLY", [`${b} send`]: "done", flow_announce: "posted" } });
    h.script({
      [`${key} inbound`]: async (request) => {
        const result = await callTool(request, "sessions_send", { sessionKey: b, message: "work", timeoutSeconds: 0 });
        expect(result).toMatchObject({ status: "accepted", delivery: { status: "pending" } });
        return "asked";
      },
    });
    await h.trunkline.submit({ sessionKey: key, text: "tick", actor: "system" });
    await h.settle();
    expect(h.runner.requests.map(({ run, session }) => `${session.agentId} ${run.kind}`)).toEqual([
      "a inbound",
      "b send",
      "b flow_announce",
    ]);
    expect(await h.transcript(key)).toEqual(["user: tick", "assistant: asked", "user: done"]);
  }
});
