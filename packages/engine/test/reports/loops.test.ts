import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { callTool, openHarness } from "../harness.ts";

// Group B of docs/field-reports.md: loops and echo storms.

const a = "agent:a:main";
const b = "agent:b:main";
const c = "agent:c:main";

test("B10: a ring of three that always forwards is bounded, and the refusal speaks of a loop without naming keys", async () => {
  const refusals: string[] = [];
  const next: Readonly<Record<string, string>> = { a: "b", b: "c", c: "a" };
  const h = await openHarness({
    script: {
      default: async (request: RunRequest) => {
        const agentId = next[request.session.agentId];
        const result = JSON.stringify(await callTool(request, "sessions_send", { agentId, message: "forward" }));
        if (result.includes("loop_detected")) refusals.push(result);
        return "forwarded";
      },
    },
  });
  await h.human(a, "go");
  await h.advance(120_000);
  await h.settle();
  expect(h.runner.requests.length).toBeLessThan(80);
  expect(refusals.length).toBeGreaterThan(0);
  for (const refusal of refusals) {
    expect(refusal).toContain("loop");
    expect(refusal).not.toContain("agent:");
  }
});

test("B11: turns are consumed by the exchange and never run again as messages", async () => {
  const h = await openHarness({
    config: { session: { agentToAgent: { maxPingPongTurns: 3 } } },
    script: { default: "text", flow_announce: "ANNOUNCE_SKIP" },
  });
  await h.send(a, b, "q");
  await h.settle();
  expect(h.runner.requests.map(({ run }) => run.kind)).toEqual(["send", "turn", "turn", "turn", "flow_announce"]);
  await h.advance(3_600_000);
  expect(h.runner.requests).toHaveLength(5);
  for (const key of [a, b]) expect(await h.session(key)).toMatchObject({ queuedRuns: 0, pendingRows: 0 });
});

test("B12: during an exchange a send to the other side is refused by key, sessionId and alias; to a third it is not", async () => {
  const side = "agent:a:side";
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.human(a, "hi");
  await h.human(side, "hi");
  await h.settle();
  const { sessionId } = await h.session(a);
  const results: unknown[] = [];
  h.script({
    [`${side} send`]: async (request) => {
      for (const sessionKey of [a, sessionId, "main", c]) {
        if (sessionKey === c) await h.human(c, "hi");
        results.push(
          Object(await callTool(request, "sessions_send", { sessionKey, message: "x", timeoutSeconds: 0 })).code,
        );
      }
      return "NO_REPLY";
    },
  });
  await h.send(a, side, "q");
  await h.settle();
  expect(results).toEqual(["reply_already_returned", "reply_already_returned", "reply_already_returned", undefined]);
});

test("B13: announces, entries and notices re-arm nothing: after them all is quiet", async () => {
  const h = await openHarness({
    channels: [{ channel: "telegram" }],
    script: { default: "NO_REPLY", child: "done", child_announce: "result", "agent:b:telegram:group:-5": "news" },
  });
  await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "9" }, text: "hi" });
  await h.human("agent:b:telegram:group:-5", "hi");
  await h.settle();
  for (let round = 0; round < 3; round++) {
    await h.call(a, "sessions_spawn", { task: `task ${round}` });
    await h.send(a, "agent:b:telegram:group:-5", `news ${round}`, { watch: true });
    await h.settle();
  }
  expect(h.channel("telegram").sent.length).toBeGreaterThanOrEqual(6);
  const calls = h.runner.requests.length;
  await h.advance(60_000);
  expect(h.runner.requests).toHaveLength(calls);
});

test("B14: a cron session that did not wait gets the answer as an entry and never a turn", async () => {
  const h = await openHarness({ script: { [`${b} send`]: "answer", flow_announce: "ANNOUNCE_SKIP" } });
  h.script({
    "cron:nightly": async (request) => {
      await callTool(request, "sessions_send", { sessionKey: b, message: "report", timeoutSeconds: 0 });
      return "asked";
    },
  });
  await h.trunkline.submit({ sessionKey: "cron:nightly", text: "tick", actor: "system" });
  await h.settle();
  await h.advance(600_000);
  expect(h.requests("cron:nightly")).toHaveLength(1);
  expect(await h.transcript("cron:nightly")).toEqual(["user: tick", "assistant: asked", "user: answer"]);
});

test("B15: a session always finds itself in its own list", async () => {
  const h = await openHarness({
    config: { tools: { sessions: { visibility: "self" } } },
    script: { default: "NO_REPLY" },
  });
  await h.human(b, "hi");
  await h.human(a, "hi");
  await h.settle();
  const list = await h.call(a, "sessions_list", {});
  expect("sessions" in list && list.sessions.map(({ key }) => key)).toEqual([a]);
});
