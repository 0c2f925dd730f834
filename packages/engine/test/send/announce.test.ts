import { DeliveryError } from "@trunkline/core";
import { expect, test } from "vitest";
import { openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const room = "agent:b:discord:channel:77";
const discord = { channel: "discord" };

function settings(maxPingPongTurns = 1) {
  return { session: { agentToAgent: { maxPingPongTurns } } };
}

test("scenario 18: the announce prompt holds request, first and latest reply, and its text goes once to the target's channel", async () => {
  const h = await openHarness({
    config: { ...settings(2), bindings: [{ agentId: "b", match: { channel: "discord" } }] },
    channels: [discord, { channel: "telegram" }],
    script: {
      default: "",
      [`${room} send`]: "first reply",
      [`${a} turn`]: "from a",
      [`${room} turn`]: "last reply",
      [`${room} flow_announce`]: "what the room reads",
    },
  });
  await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "9" }, text: "hello a" });
  await h.trunkline.receive({
    channel: "discord",
    accountId: "acc",
    peer: { kind: "channel", id: "77" },
    text: "hello b",
  });
  await h.settle();
  expect(await h.send(a, room, "the request")).toMatchObject({ status: "ok", reply: "first reply" });
  await h.settle();
  const prompt = h.requests(room).at(-1)?.prompt ?? "";
  expect(prompt).toContain("Original request:\nthe request");
  expect(prompt).toContain("Round 1 reply:\nfirst reply");
  expect(prompt).toContain("Latest reply:\nlast reply");
  expect(h.channel("discord").sent).toEqual([
    {
      route: { channel: "discord", to: "77", accountId: "acc" },
      text: "what the room reads",
      idempotencyKey: expect.any(String),
    },
  ]);
  expect(h.channel("telegram").sent).toEqual([]);
  expect((await h.transcript(room)).at(-1)).toBe("assistant: what the room reads");
});

test("scenario 19: a skip word posts nothing; without a route the text stays in the transcript", async () => {
  const h = await openHarness({
    config: settings(0),
    channels: [discord],
    script: { send: "reply", [`${room} flow_announce`]: "ANNOUNCE_SKIP", [`${b} flow_announce`]: "nowhere to go" },
  });
  await h.human(room, "hi");
  await h.settle();
  expect(await h.send(a, room, "q")).toMatchObject({ status: "ok", reply: "reply" });
  expect(await h.send(a, b, "q")).toMatchObject({ status: "ok", reply: "reply" });
  await h.settle();
  expect(h.channel("discord").attempts).toEqual([]);
  expect(await h.deliveries(b)).toEqual([]);
  expect((await h.transcript(b)).at(-1)).toBe("assistant: nowhere to go");
});

test("scenario 20: an announce that cannot be posted changes no result, is recorded, and disturbs no later send", async () => {
  const h = await openHarness({
    config: settings(0),
    channels: [
      {
        ...discord,
        onSend({ attempt, text }) {
          if (text === "broken" && attempt > 0)
            throw new DeliveryError("permanent", "no such chat", { code: "chat_not_found" });
          return undefined;
        },
      },
    ],
    script: { send: "reply", flow_announce: "broken" },
  });
  await h.human(room, "hi");
  await h.settle();
  expect(await h.send(a, room, "q")).toMatchObject({ status: "ok", reply: "reply" });
  await h.settle();
  await h.advance(3_600_000);
  expect((await h.deliveries(room)).map(({ kind, state }) => [kind, state])).toEqual([["announce", "failed"]]);
  expect(h.channel("discord").attempts).toHaveLength(1);
  h.script({ flow_announce: "fine" });
  expect(await h.send(a, room, "again")).toMatchObject({ status: "ok" });
  await h.settle();
  expect(h.channel("discord").sent.map(({ text }) => text)).toEqual(["fine"]);
});

test("an announce step that hangs is given up after two minutes and posts nothing", async () => {
  const h = await openHarness({ config: settings(0), channels: [discord], script: { send: "reply" } });
  h.script({ flow_announce: () => new Promise(() => undefined) });
  await h.human(room, "hi");
  await h.settle();
  expect(await h.send(a, room, "q")).toMatchObject({ status: "ok" });
  await h.advance(120_000);
  await h.settle();
  expect((await h.runs(room)).at(-1)?.state).toBe("timeout");
  expect(h.channel("discord").attempts).toEqual([]);
});

test("scenario 21: a target that says nothing gives ok without reply, no exchange and no announce", async () => {
  for (const silence of [
    "NO_REPLY",
    " ANNOUNCE_SKIP\n",
    "REPLY_SKIP",
    "  \n",
    "",
    "<think>nothing to add</think>NO_REPLY",
  ]) {
    const h = await openHarness({ script: { [b]: silence } });
    const result = await h.send(a, b, "q");
    expect(result).toMatchObject({ status: "ok", delivery: { status: "skipped" } });
    expect(result).not.toHaveProperty("reply");
    await h.settle();
    expect(h.runner.requests).toHaveLength(1);
    expect(await h.rows(a)).toEqual([]);
  }
});

test("a failed or silent run after an accepted send leaves no announce, whoever asked", async () => {
  const h = await openHarness({ channels: [discord], script: { [`${room} send`]: "NO_REPLY" } });
  await h.human(room, "hi");
  await h.settle();
  const result = await h.send(a, room, "q", { timeoutSeconds: 0 });
  expect(result).toMatchObject({ status: "accepted" });
  await h.settle();
  expect(h.channel("discord").attempts).toEqual([]);
  expect(await h.rows(a)).toEqual([]);
});

test("the announce of a session without a channel in its key goes to its stored route, with account and thread", async () => {
  const h = await openHarness({
    config: { ...settings(0), bindings: [{ agentId: "b", match: { channel: "telegram" } }] },
    channels: [{ channel: "telegram" }],
    script: { send: "reply", flow_announce: "news", inbound: "NO_REPLY" },
  });
  await h.trunkline.receive({
    channel: "telegram",
    accountId: "bot2",
    peer: { kind: "direct", id: "9" },
    threadId: "t1",
    text: "hello b",
  });
  await h.settle();
  await h.send(a, b, "q");
  await h.settle();
  expect(h.channel("telegram").sent.map(({ route, text }) => ({ route, text }))).toEqual([
    { route: { channel: "telegram", to: "9", accountId: "bot2", threadId: "t1" }, text: "news" },
  ]);
});
