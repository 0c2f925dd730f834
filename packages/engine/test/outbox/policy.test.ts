import type { TrunklineConfigInput } from "@trunkline/core";
import { expect, test } from "vitest";
import { callTool, type Harness, hang, openHarness } from "../harness.ts";
import { mortalProcess } from "../mortal-process.ts";
import { spawnIn } from "../spawn/family.ts";
import { busy, failing, main, openChat, say, slack } from "./chat.ts";

type Rules = NonNullable<NonNullable<TrunklineConfigInput["session"]>["sendPolicy"]>;

const denySlack: Rules = { rules: [{ match: { channel: "slack" }, action: "deny" }] };
const withPolicy = (sendPolicy: Rules) => ({ config: { session: { sendPolicy } } });

async function states(h: Harness, key = main) {
  return (await h.deliveries(key)).map(({ kind, state }) => `${kind} ${state}`);
}

test("scenario 40: where the policy denies, an inbound message still runs and is kept, and its reply is suppressed", async () => {
  const h = await openChat(undefined, {}, withPolicy(denySlack));
  await say(h, "hello");
  await h.settle();
  expect(await h.transcript(main)).toEqual(["user: hello", "assistant: HELLO"]);
  expect(await states(h)).toEqual(["reply suppressed"]);
  expect(h.channel("slack").attempts).toEqual([]);
});

test("scenario 40: a completion and an announce are suppressed like a reply, and the child's list says so", async () => {
  const h = await openChat(undefined, {}, withPolicy(denySlack));
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "work" });
      return "started";
    },
    child: "result",
    child_announce: "summary",
    [`${main} send`]: "answer",
    flow_announce: "to the chat",
  });
  await say(h, "go");
  await h.settle();
  await h.send("agent:b:main", main, "question");
  await h.settle();
  expect(await states(h)).toEqual(["reply suppressed", "completion suppressed", "announce suppressed"]);
  const list = await h.call(main, "subagents", {});
  expect("recent" in list && list.recent[0]?.delivery).toBe("suppressed");
  expect(h.channel("slack").attempts).toEqual([]);
});

test("the notice of an interrupted message and an owner's answer are suppressed as well", async () => {
  const h = await openChat(undefined, {}, { ...withPolicy(denySlack), start: false });
  const mortal = mortalProcess(h.store, h.clock);
  const dying = await openChat(
    undefined,
    {},
    { ...withPolicy(denySlack), store: mortal.store, clock: mortal.clock, script: { [`${main} inbound`]: hang } },
  );
  await say(dying, "hello");
  await h.advance(0);
  mortal.kill();
  await h.trunkline.start();
  await h.advance(30_000);
  await h.trunkline.receive({ channel: "slack", peer: { kind: "direct", id: "U1" }, isOwner: true, text: "/status" });
  await h.settle();
  expect(await states(h)).toEqual(["notice suppressed", "owner suppressed"]);
  mortal.bury();
});

test("a thread's replies of a bound child obey the policy too", async () => {
  const h = await openChat(undefined, { threads: true });
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "work", thread: true });
      return "";
    },
    child: "r",
    child_announce: "s",
  });
  await say(h, "go");
  await h.settle();
  const [bound] = (await h.store.read([{ find: "binding", index: "expiry", equals: ["bound"], limit: 1 }]))[0];
  const [child] = await h.store.read([{ get: "session", key: bound?.sessionRow ?? "" }]);
  const key = child?.sessionKey ?? "";
  await h.trunkline.patchSession(key, { sendPolicy: "deny" });
  h.script({ [key]: "in the thread" });
  await h.trunkline.receive({
    channel: "slack",
    peer: { kind: "direct", id: "U1" },
    threadId: "slack-thread-1",
    text: "hi",
  });
  await h.settle();
  expect(await states(h, key)).toEqual(["reply suppressed"]);
  expect(h.channel("slack").sent).toEqual([]);
});

test("scenario 40: a matching deny wins over a matching allow in either order; the default counts where nothing matches", async () => {
  const allow = { match: { channel: "slack" }, action: "allow" } as const;
  const deny = { match: { chatType: "direct" }, action: "deny" } as const;
  const cases: readonly (readonly [Rules, string])[] = [
    [{ rules: [allow, deny] }, "suppressed"],
    [{ rules: [deny, allow] }, "suppressed"],
    [{ rules: [allow], default: "deny" }, "delivered"],
    [{ rules: [{ match: { channel: "telegram" }, action: "allow" }], default: "deny" }, "suppressed"],
    [{ rules: [{ match: { keyPrefix: "agent:a:" }, action: "deny" }] }, "suppressed"],
    [{ rules: [{ match: { keyPrefix: "agent:b:" }, action: "deny" }] }, "delivered"],
    [{ rules: [{ match: { chatType: "group" }, action: "deny" }] }, "delivered"],
  ];
  for (const [rules, state] of cases) {
    const h = await openChat(undefined, {}, withPolicy(rules));
    await say(h, "hello");
    await h.settle();
    expect(await states(h), JSON.stringify(rules)).toEqual([`reply ${state}`]);
  }
});

test("scenario 40: an owner's /send on flips the policy, /send inherit gives it back to the configuration; nobody else, and no longer text, does", async () => {
  const h = await openChat(undefined, {}, withPolicy(denySlack));
  const owner = (text: string) =>
    h.trunkline.receive({ channel: "slack", peer: { kind: "direct", id: "U1" }, isOwner: true, text });
  await say(h, "/send on");
  await owner("please /send on");
  await h.settle();
  expect((await h.session(main)).sendPolicy).toBeNull();
  expect(h.channel("slack").sent).toEqual([]);
  await owner("/send on");
  await say(h, "hello");
  await h.settle();
  expect(h.channel("slack").sent.map(({ text }) => text)).toContain("HELLO");
  const before = h.channel("slack").sent.length;
  await owner("/send inherit");
  await say(h, "again");
  await h.settle();
  expect(h.channel("slack").sent).toHaveLength(before);
});

test("scenario 40: an operator's message that asks for delivery is refused where the policy denies, with no run", async () => {
  const h = await openChat(undefined, {}, withPolicy(denySlack));
  await say(h, "hello");
  await h.settle();
  const error: unknown = await h.trunkline
    .submit({ sessionKey: main, text: "tell them", deliver: true })
    .catch((reason: unknown) => reason);
  expect(error).toHaveProperty("code", "send_denied");
  expect(await h.runs(main)).toHaveLength(1);
});

test("the policy is asked at the time of each attempt", async () => {
  const h = await openChat(failing(9, busy));
  await say(h, "hello");
  await h.settle();
  await h.trunkline.patchSession(main, { sendPolicy: "deny" });
  await h.advance(15_000);
  expect(await states(h)).toEqual(["reply suppressed"]);
  expect(h.channel("slack").attempts).toHaveLength(1);
});

test("a skip word never reaches a channel: reply, announce, completion, thread and cron alike", async () => {
  for (const word of ["NO_REPLY", " ANNOUNCE_SKIP ", "REPLY_SKIP\n", "<think>no need</think>NO_REPLY"]) {
    const h = await openChat(undefined, {});
    h.script({
      [`${main} inbound`]: async (request) => {
        if (request.prompt === "spawn") await spawnIn(request, { task: "work" });
        return word;
      },
      child: "result",
      child_announce: word,
      [`${main} send`]: "answer",
      flow_announce: word,
      turn: word,
    });
    await say(h, "hello");
    await say(h, "spawn");
    await h.send("agent:b:main", main, "question");
    await h.trunkline.submit({ sessionKey: main, text: "cron", actor: "system", deliver: true });
    await h.settle();
    expect(h.channel("slack").attempts, word).toEqual([]);
    expect((await states(h)).filter((state) => !state.endsWith("skipped"))).toEqual([]);
  }
});

test("a text of which nothing is left after sanitising is not sent; what is left is sent trimmed", async () => {
  const h = await openChat(undefined, {});
  h.script({ [`${main} inbound`]: ({ prompt }) => (prompt === "all" ? "<think>only this</think>" : "  yes \n") });
  await say(h, "all");
  await say(h, "some");
  await h.settle();
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["yes"]);
});

test("a yield's resume posts to the route of the message that asked, and the yielded run posts nothing", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "work" });
      await callTool(request, "sessions_yield", {});
      return "this is no reply";
    },
    child: "r",
    resume: "the answer",
  });
  await say(h, "go");
  await h.settle();
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["the answer"]);
});
