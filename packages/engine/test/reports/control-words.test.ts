import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { callTool, openHarness } from "../harness.ts";

// Group F of docs/field-reports.md: control words and internal text that reach people.

const a = "agent:a:main";
const b = "agent:b:main";
const room = "agent:b:telegram:group:-5";
const words = ["REPLY_SKIP", "ANNOUNCE_SKIP", "NO_REPLY"];

test("B38: no skip word reaches a channel, on any path", async () => {
  for (const word of words) {
    for (const text of [word, ` ${word}\n`, `<think>hm</think>\n${word}`]) {
      const h = await openHarness({
        channels: [{ channel: "telegram" }],
        script: { default: text, child: "done" },
      });
      await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "9" }, text: "reply" });
      await h.trunkline.submit({ sessionKey: "cron:x", text: "cron", actor: "system", deliver: true });
      await h.trunkline.submit({ sessionKey: room, text: "deliver", deliver: true });
      await h.settle();
      h.script({ [`${room} send`]: "a real reply" });
      await h.send(a, room, "announce and turns");
      await h.call(a, "sessions_spawn", { task: "completion" });
      h.script({
        [`${a} inbound`]: async (request: RunRequest) => {
          await callTool(request, "sessions_spawn", { task: "t" });
          await callTool(request, "sessions_yield", {});
          return text;
        },
      });
      await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "9" }, text: "resume" });
      await h.settle();
      expect([text, h.channel("telegram").attempts]).toEqual([text, []]);
    }
  }
});

test("B39: only an exact word skips; a word inside prose is prose, and reasoning never goes out by itself", async () => {
  const cases = [
    [" ANNOUNCE_SKIP\n", undefined],
    ["ANNOUNCE_SKIP because quiet", "ANNOUNCE_SKIP because quiet"],
    ["announce_skip", "announce_skip"],
    ["<think>They should not read this.</think>\nANNOUNCE_SKIP", undefined],
    ["<think>They should not read this.</think>", undefined],
    ["<think>They should not read this.</think>\nNews.", "News."],
  ] as const;
  for (const [text, posted] of cases) {
    const h = await openHarness({
      config: { session: { agentToAgent: { maxPingPongTurns: 0 } } },
      channels: [{ channel: "telegram" }],
      script: { send: "reply", flow_announce: text, inbound: "NO_REPLY" },
    });
    await h.human(room, "hi");
    await h.send(a, room, "q");
    await h.settle();
    expect([text, h.channel("telegram").sent.map((sent) => sent.text)]).toEqual([
      text,
      posted === undefined ? [] : [posted],
    ]);
  }
});

test("B40: the stored message is bare with provenance beside it; only the prompt carries the marker", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.send(a, b, "the message");
  await h.settle();
  const [row] = await h.rows(b);
  expect(row?.body).toEqual({ content: "the message" });
  expect(row?.provenance).toMatchObject({ kind: "inter_session", sourceSessionKey: a, sourceTool: "sessions_send" });
  const prompt = h.requests(b)[0]?.prompt ?? "";
  expect(prompt).toMatch(/^\[Inter-session message .*isUser=false\]/);
  const history = await h.call(a, "sessions_history", { sessionKey: b });
  expect(JSON.stringify(history)).not.toContain("[Inter-session");
});
