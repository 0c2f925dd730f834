import { speed } from "./fast-clock.ts";
import { type Scenario, useTool } from "./scenario.ts";

const group = "agent:b:telegram:group:1";
const main = "agent:a:main";
const chat = { channel: "telegram", peer: { kind: "direct", id: "7" } } as const;

/** `sessions_send` without a wait, a loop of two turns, and an announce that is posted. */
const exchange: Scenario = {
  config: { session: { agentToAgent: { maxPingPongTurns: 2 } } },
  async begin({ trunkline, admitted }) {
    await trunkline.submit({ sessionKey: group, text: "made", idempotencyKey: "made" });
    const result = await trunkline.callTool({ sessionKey: main }, "sessions_send", {
      sessionKey: group,
      message: "question",
      timeoutSeconds: 0,
      idempotencyKey: "send",
    });
    if (result.status === "accepted") admitted("send", result.runId);
  },
  play: ({ run }) => ({ text: `text of ${run.kind}` }),
  messages: [{ sessionKey: group, text: "made" }],
};

/** A run that waits for the answer to its send and gets it in line; its own answer is posted. */
const inline: Scenario = {
  async begin({ trunkline, admitted }) {
    const { runId } = await trunkline.receive({ ...chat, text: "ask b", idempotencyKey: "ask" });
    if (runId !== undefined) admitted("ask", runId);
  },
  async play(request, reach) {
    if (request.run.kind !== "inbound") return { text: "four" };
    const answer = await useTool(request, "sessions_send", { sessionKey: "agent:b:main", message: "two and two?" });
    reach("after the send");
    return { text: `b says ${JSON.stringify(answer)}` };
  },
  config: { session: { agentToAgent: { maxPingPongTurns: 0 } } },
  messages: [{ sessionKey: main, text: "ask b" }],
};

const waitSeconds = 1;

/** A run whose wait runs out before the answer comes, which takes three times as long. */
const late: Scenario = {
  ...inline,
  async play(request, reach) {
    if (request.run.kind !== "inbound") {
      await new Promise((resolve) => setTimeout(resolve, (3 * waitSeconds * 1000) / speed));
      return { text: "four" };
    }
    await useTool(request, "sessions_send", {
      sessionKey: "agent:b:main",
      message: "two and two?",
      timeoutSeconds: waitSeconds,
    });
    reach("after the send");
    return { text: "b is slow" };
  },
};

/** An answer that leaves in three parts, through a channel that cannot tell a repeated part. */
const parts: Scenario = {
  channel: { maxTextLength: 100 },
  async begin({ trunkline, admitted }) {
    const { runId } = await trunkline.receive({ ...chat, text: "tell", idempotencyKey: "tell" });
    if (runId !== undefined) admitted("tell", runId);
  },
  play: () => ({ text: ["one", "two", "three"].map((word) => `${word} `.repeat(16)).join("\n\n") }),
  messages: [{ sessionKey: main, text: "tell" }],
};

/** The same through a channel that honours the key of a repeated part. */
const keyedParts: Scenario = { ...parts, channel: { maxTextLength: 100, idempotent: true } };

/** A runner that tells of its progress while it works. */
const progress: Scenario = {
  ...parts,
  channel: {},
  async play(request) {
    request.emit({ type: "message", message: { role: "assistant", content: "first I look" } });
    request.emit({ type: "message", message: { role: "assistant", content: "then I write" } });
    return { text: "done" };
  },
};

/** A watcher that is told of a change at its next turn; the turn after that is not told again. */
const notice: Scenario = {
  async begin({ trunkline, admitted }) {
    await trunkline.submit({ sessionKey: "agent:b:main", text: "made", idempotencyKey: "made" });
    const sent = await trunkline.callTool({ sessionKey: main }, "sessions_send", {
      sessionKey: "agent:b:main",
      message: "hi",
      timeoutSeconds: 0,
      watch: true,
      idempotencyKey: "hi",
    });
    if (sent.status === "accepted") admitted("hi", sent.runId);
    await trunkline.waitForIdle({ timeoutMs: 20_000 });
    for (const [sessionKey, text] of [
      ["agent:b:main", "news"],
      [main, "what is new"],
      [main, "and now"],
    ] as const) {
      const { runId } = await trunkline.submit({ sessionKey, text, idempotencyKey: text });
      admitted(text, runId);
      await trunkline.waitForIdle({ timeoutMs: 20_000 });
    }
  },
  play: () => ({ text: "NO_REPLY" }),
  messages: [
    { sessionKey: "agent:b:main", text: "made" },
    { sessionKey: "agent:b:main", text: "news" },
    { sessionKey: main, text: "what is new" },
    { sessionKey: main, text: "and now" },
  ],
};

/** A text that arrives in mid-run and that the runner takes in. */
const steer: Scenario = {
  steers: true,
  config: { messages: { queue: { mode: "steer", debounceMs: 0 } } },
  async begin({ trunkline, admitted, seen }) {
    const first = await trunkline.receive({ ...chat, text: "start", idempotencyKey: "start" });
    if (first.runId !== undefined) admitted("start", first.runId);
    await seen(({ type, runId }) => type === "run_output" && runId === first.runId);
    const second = await trunkline.receive({ ...chat, text: "by the way", idempotencyKey: "by the way" });
    if (second.runId !== undefined) admitted("by the way", second.runId);
  },
  async play(request, reach) {
    if (request.prompt !== "start") return { text: `about ${request.prompt}` };
    request.emit({ type: "text", text: "…" });
    for (let look = 0; look < 200; look++) {
      const taken = (await request.takeInput?.()) ?? [];
      if (taken.length > 0) {
        reach("after the input");
        return { text: `start, then ${taken.join()}` };
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return { text: "nothing came" };
  },
  messages: [
    { sessionKey: main, text: "start" },
    { sessionKey: main, text: "by the way" },
  ],
};

export const messageScenarios = { exchange, inline, late, parts, keyedParts, progress, notice, steer };
