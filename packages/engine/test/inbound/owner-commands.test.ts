import { expect, test } from "vitest";
import { type Harness, hang, openHarness } from "../harness.ts";

const a = "agent:a:main";

async function chat(script: Parameters<Harness["script"]>[0] = { default: "answer" }) {
  const h = await openHarness({
    config: { channels: { telegram: { owners: ["boss"] } } },
    channels: [{ channel: "telegram" }],
    script,
  });
  const say = (text: string, more: object = { senderId: "boss" }) =>
    h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "9" }, text, ...more });
  return { h, say, posts: () => h.channel("telegram").sent.map(({ text }) => text) };
}

test("/stop ends what is running and queued, children too, and says how much", async () => {
  const { h, say, posts } = await chat({ default: hang });
  await say("work");
  await say("and more");
  await h.advance(0);
  expect(await say(" /stop\n")).toEqual({ sessionKey: a });
  await h.settle();
  expect((await h.runs(a)).map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
  expect(posts()).toEqual(["Stopped 2 runs."]);
  expect(await h.transcript(a)).toEqual(["user: work", "user: and more"]);
  await say("/stop");
  await h.settle();
  expect(posts()).toEqual(["Stopped 2 runs.", "Nothing was running."]);
});

test("/new and /reset start over and keep everything but the transcript", async () => {
  for (const command of ["/new", "/RESET"]) {
    const { h, say, posts } = await chat();
    await say("remember this");
    await h.settle();
    const before = await h.trunkline.patchSession(a, { label: "mine", pinned: true, model: "m" });
    await say(command);
    await h.settle();
    const after = await h.session(a);
    expect(after.sessionId).not.toBe(before.sessionId);
    expect(await h.rows(a)).toEqual([]);
    expect(after).toMatchObject({ label: "mine", pinned: 1, model: "m", route: before.route });
    expect(posts()).toHaveLength(2);
  }
});

test("/send off silences the session, /send on opens it, /send inherit gives it back to the configuration", async () => {
  const { h, say, posts } = await chat();
  await say("/send off");
  await say("anybody there?");
  await h.settle();
  expect(h.requests(a)).toHaveLength(1);
  expect(posts()).toEqual([]);
  expect((await h.session(a)).sendPolicy).toBe("deny");
  await say("/send on");
  await h.settle();
  expect(posts()).toEqual(["Posting for this session: on."]);
  expect((await h.session(a)).sendPolicy).toBe("allow");
  await say("/send inherit");
  await h.settle();
  expect((await h.session(a)).sendPolicy).toBeNull();
});

test("/tools and /status tell the owner about the session", async () => {
  const { h, say, posts } = await chat();
  await say("/tools");
  await say("/status");
  await h.settle();
  expect(posts()[0]).toContain("sessions_send");
  expect(posts()[1]).toContain(a);
  expect(h.requests(a)).toHaveLength(0);
});

test("a command counts from owners only and as the whole message only; anything else is an ordinary message", async () => {
  const { h, say } = await chat({ default: "NO_REPLY" });
  const ordinary = [
    ["/reset", { senderId: "guest" }],
    ["/reset", {}],
    ["please /reset", { senderId: "boss" }],
    ["/reset now", { senderId: "boss" }],
    ["/send", { senderId: "boss" }],
    ["/send maybe", { senderId: "boss" }],
    ["/unknown", { senderId: "boss" }],
  ] as const;
  for (const [text, sender] of ordinary) expect(await say(text, sender)).toHaveProperty("runId");
  await h.settle();
  expect(h.requests(a).map(({ prompt }) => prompt)).toEqual(ordinary.map(([text]) => text));
  expect(await say("/reset", { isOwner: true })).toEqual({ sessionKey: a });
});

test("a command that arrives twice with one key is carried out once; as another message the key is a conflict", async () => {
  const { h, say, posts } = await chat();
  await say("hello");
  await h.settle();
  const key = { senderId: "boss", idempotencyKey: "update-1" };
  await say("/new", key);
  const { sessionId } = await h.session(a);
  expect(await say("/new", key)).toEqual({ sessionKey: a });
  await h.settle();
  expect((await h.session(a)).sessionId).toBe(sessionId);
  expect(posts()).toEqual(["answer", "Started over with an empty transcript."]);
  await expect(say("/stop", key)).rejects.toMatchObject({ code: "conflict" });
  await expect(say("a message", key)).rejects.toMatchObject({ code: "conflict" });
});
