import { expect, test } from "vitest";
import { answerAfter, hang, openHarness } from "../harness.ts";

const a = "agent:a:main";
const hour = 3_600_000;

test("without a reset mode a session goes on for ever", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.human(a, "one");
  await h.settle();
  h.clock.step(400 * 24 * hour);
  await h.human(a, "two");
  await h.settle();
  expect(h.requests(a)[1]?.messages).toHaveLength(2);
});

test("idle: the message that finds the session stale starts it over, in its own commit", async () => {
  const h = await openHarness({
    config: { session: { reset: { mode: "idle", idleMinutes: 30 } } },
    script: { default: "said" },
  });
  await h.human(a, "one");
  await h.settle();
  const { sessionId } = await h.session(a);
  h.clock.step(29 * 60_000);
  await h.human(a, "two");
  await h.settle();
  expect((await h.session(a)).sessionId).toBe(sessionId);
  h.clock.step(31 * 60_000);
  expect((await h.session(a)).sessionId).toBe(sessionId);
  await h.human(a, "three");
  const after = await h.session(a);
  expect(after.sessionId).not.toBe(sessionId);
  await h.settle();
  expect(await h.transcript(a)).toEqual(["user: three", "assistant: said"]);
  expect(h.requests(a).at(-1)?.messages).toEqual([]);
  expect((await h.stateEvents(a)).map(({ kind, actorKind }) => [kind, actorKind])).toContainEqual(["reset", "system"]);
});

test("idle counts from the last human message: sends and jobs do not keep a session awake", async () => {
  const h = await openHarness({
    config: { session: { reset: { mode: "idle", idleMinutes: 30 }, agentToAgent: { maxPingPongTurns: 0 } } },
    script: { default: "NO_REPLY" },
  });
  await h.human(a, "one");
  await h.settle();
  const { sessionId } = await h.session(a);
  h.clock.step(20 * 60_000);
  await h.send("agent:b:main", a, "from b");
  await h.settle();
  expect((await h.session(a)).sessionId).toBe(sessionId);
  h.clock.step(20 * 60_000);
  await h.human(a, "two");
  await h.settle();
  expect((await h.session(a)).sessionId).not.toBe(sessionId);
});

test("daily: once the hour has passed since the last human message, and not before", async () => {
  const h = await openHarness({
    config: { session: { reset: { mode: "daily", atHour: 4 } } },
    script: { default: "NO_REPLY" },
  });
  const day = new Date(2026, 2, 10, 3, 0, 0).getTime();
  h.clock.step(day - h.clock.now());
  await h.human(a, "at three");
  await h.settle();
  const first = (await h.session(a)).sessionId;
  h.clock.step(0.9 * hour);
  await h.human(a, "before four");
  await h.settle();
  expect((await h.session(a)).sessionId).toBe(first);
  h.clock.step(0.2 * hour);
  await h.human(a, "after four");
  await h.settle();
  const second = (await h.session(a)).sessionId;
  expect(second).not.toBe(first);
  h.clock.step(20 * hour);
  await h.human(a, "in the night");
  await h.settle();
  expect((await h.session(a)).sessionId).toBe(second);
});

test("channel settings win over type settings, these over the base", async () => {
  const h = await openHarness({
    config: {
      session: {
        reset: { mode: "idle", idleMinutes: 10 },
        resetByType: { group: { mode: "none" }, thread: { idleMinutes: 20 } },
        resetByChannel: { slack: { mode: "idle", idleMinutes: 5 } },
      },
    },
    script: { default: "NO_REPLY" },
  });
  const chats = {
    direct: { channel: "telegram", peer: { kind: "direct" as const, id: "9" } },
    group: { channel: "telegram", peer: { kind: "group" as const, id: "-5" } },
    thread: { channel: "discord", peer: { kind: "channel" as const, id: "1" }, threadId: "t" },
    slack: { channel: "slack", peer: { kind: "group" as const, id: "G1" } },
  };
  async function resetAfter(minutes: number): Promise<readonly string[]> {
    const reset: string[] = [];
    for (const [name, chat] of Object.entries(chats)) {
      const { sessionKey } = await h.trunkline.receive({ ...chat, text: "one" });
      await h.settle();
      const before = (await h.session(sessionKey)).sessionId;
      h.clock.step(minutes * 60_000);
      await h.trunkline.receive({ ...chat, text: "two" });
      await h.settle();
      if ((await h.session(sessionKey)).sessionId !== before) reset.push(name);
    }
    return reset;
  }
  expect(await resetAfter(4)).toEqual([]);
  expect(await resetAfter(6)).toEqual(["slack"]);
  expect(await resetAfter(11)).toEqual(["direct", "slack"]);
  expect(await resetAfter(21)).toEqual(["direct", "thread", "slack"]);
});

test("a session at work is never reset by a message", async () => {
  const h = await openHarness({ config: { session: { reset: { mode: "idle", idleMinutes: 1 } } } });
  h.script({ [a]: answerAfter(h.clock, 10 * 60_000, "long work") });
  await h.human(a, "one");
  await h.advance(0);
  const { sessionId } = await h.session(a);
  await h.advance(5 * 60_000);
  await h.human(a, "two");
  await h.advance(30 * 60_000);
  await h.settle();
  expect((await h.session(a)).sessionId).toBe(sessionId);
  expect(await h.transcript(a)).toEqual(["user: one", "assistant: long work", "user: two", "assistant: long work"]);
});

test("a stale session's unfinished children are cancelled before it starts over", async () => {
  const h = await openHarness({
    config: { session: { reset: { mode: "idle", idleMinutes: 1 } } },
    script: { default: "NO_REPLY", child: hang },
  });
  await h.human(a, "hi");
  await h.settle();
  const spawned = await h.call(a, "sessions_spawn", { task: "t" });
  if (spawned.status !== "accepted") throw new Error("no child");
  await h.advance(0);
  h.clock.step(120_000);
  await h.human(a, "new day");
  await h.settle();
  expect((await h.run(spawned.runId)).state).toBe("cancelled");
  expect(await h.transcript(a)).toEqual(["user: new day", "assistant: NO_REPLY"]);
  const children = await h.call(a, "subagents", { action: "list" });
  expect(children).toMatchObject({ active: [], recent: [{ outcome: "cancelled" }] });
});
