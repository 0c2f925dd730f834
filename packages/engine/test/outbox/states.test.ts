import { expect, test } from "vitest";
import { openHarness } from "../harness.ts";
import { completions, spawnIn } from "../spawn/family.ts";
import { busy, failing, gone, main, onlyDelivery, openChat, say, slack } from "./chat.ts";

test("B16: a channel that is away twice gets one post of the child's result; one that stays away leaves the child's post failed, and the requester told", async () => {
  for (const times of [2, 99]) {
    const h = await openChat(failing(times, busy));
    h.script({
      [`${main} inbound`]: async (request) => {
        await spawnIn(request, { task: "work" });
        return "";
      },
      child: "r",
      child_announce: "summary",
    });
    await say(h, "go");
    await h.advance(31 * 60_000);
    const list = await h.call(main, "subagents", { action: "list" });
    const [key] = (await h.rows(main)).flatMap(({ provenance }) => provenance?.sourceSessionKey ?? []);
    if (times === 2) {
      expect(h.channel("slack").sent).toHaveLength(1);
      expect(await onlyDelivery(h)).toMatchObject({ state: "delivered" });
    } else {
      expect(h.channel("slack").sent).toHaveLength(0);
      const status = await h.call(main, "session_status", {});
      expect("details" in status && status.details.tasks[0]).toMatchObject({ delivery: "failed", outcome: "success" });
      expect("text" in status && status.text).toContain("success, post failed");
      expect("recent" in list && list.recent).toEqual([]);
      expect((await h.transcript(main)).at(-1)).toBe(
        `system: The result of sub-agent session ${key} could not be posted to slack: rate_limited. Its text is kept in the transcript.`,
      );
    }
    expect(await completions(h, main)).toHaveLength(1);
  }
});

test("B19: a post that fails for good leaves one system notice in the requester's transcript that names the child's session", async () => {
  const h = await openChat(failing(9, gone));
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "work" });
      return "";
    },
    child: "r",
    child_announce: "summary",
  });
  await say(h, "go");
  await h.settle();
  const list = await h.call(main, "subagents", {});
  const child = "recent" in list ? list.recent[0] : undefined;
  expect(child).toMatchObject({ outcome: "success", delivery: "failed" });
  const notices = (await h.rows(main)).filter(({ role }) => role === "system");
  expect(notices).toHaveLength(1);
  expect(notices[0]?.body.content).toContain(child?.childSessionKey ?? "?");
  expect(notices[0]?.provenance).toMatchObject({ kind: "delivery_failed", runId: child?.runId });
  expect((await h.runs(main)).map(({ kind }) => kind)).toEqual(["inbound"]);
});

test("every change of a delivery is told as an event with its state, its kind and the reason", async () => {
  const h = await openChat(failing(1, busy));
  const seen: string[] = [];
  h.trunkline.events.subscribe({ types: ["delivery_changed"] }, ({ delivery, sessionKey }) =>
    seen.push(
      `${sessionKey} ${delivery?.kind} ${delivery?.state} ${delivery?.channel} ${delivery?.reason ?? ""}`.trim(),
    ),
  );
  await say(h, "hello");
  await h.advance(15_000);
  expect(seen).toEqual(
    ["pending slack", "sending slack", "pending slack rate_limited", "sending slack", "delivered slack"].map(
      (rest) => `${main} reply ${rest}`,
    ),
  );
});

test("a route without a deliverer is undeliverable at once, with the reason", async () => {
  const h = await openHarness({ script: { default: "hello" } });
  await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "1" }, text: "hi" });
  await h.settle();
  expect(await onlyDelivery(h)).toMatchObject({
    state: "undeliverable",
    reason: "no deliverer for channel telegram",
    attempts: 0,
  });
});

test("a text whose session was deleted before it left is undeliverable, and nothing spins", async () => {
  const h = await openChat(failing(1, busy));
  const room = { channel: "slack", peer: { kind: "group", id: "C1" }, text: "hello" } as const;
  const { sessionKey } = await h.trunkline.receive(room);
  h.script({ [sessionKey]: "answer" });
  await h.settle();
  const [delivery] = await h.deliveries(sessionKey);
  await h.trunkline.deleteSession(sessionKey);
  await h.advance(60_000);
  await h.settle();
  const [now] = await h.store.read([{ get: "delivery", key: delivery?.id ?? "" }]);
  expect(now ?? { state: "undeliverable" }).toMatchObject({ state: "undeliverable" });
  expect(h.channel("slack").attempts).toHaveLength(1);
});

test("a key that names its channel supplies the route where none is stored, for a completion too", async () => {
  const h = await openHarness({ channels: [{ channel: "telegram" }], script: { child: "r", child_announce: "s" } });
  const room = "agent:a:telegram:group:-5";
  await h.call(room, "sessions_spawn", { task: "work" });
  await h.settle();
  expect(h.channel("telegram").sent.map(({ route }) => route)).toEqual([{ channel: "telegram", to: "-5" }]);
});

test("a message in the dashboard does not take a child's completion away from the outside channel", async () => {
  const h = await openHarness({
    channels: [slack, { channel: "webchat" }],
    script: { child: "r", child_announce: "s" },
  });
  h.script({
    [`${main} inbound`]: async (request) => {
      if (request.prompt === "spawn") await spawnIn(request, { task: "work" });
      return "";
    },
  });
  await say(h, "hello");
  await h.settle();
  await h.trunkline.receive({ channel: "webchat", peer: { kind: "direct", id: "me" }, text: "spawn" });
  await h.settle();
  expect(h.channel("slack").sent).toHaveLength(1);
  expect(h.channel("webchat").sent).toEqual([]);
});
