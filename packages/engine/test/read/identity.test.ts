import { expect, test } from "vitest";
import { callTool, openHarness } from "../harness.ts";

const missingId = "00000000-0000-4000-8000-000000000000";

test("B65: opaque ids keep their case: two chats are two sessions, and a missing one is not found", async () => {
  const harness = await openHarness();
  for (const id of ["!Ab:hs", "!ab:hs"]) await harness.human(`agent:a:matrix:channel:${id}`, `from ${id}`);
  await harness.settle();
  expect(await harness.transcript("agent:a:matrix:channel:!Ab:hs")).toContain("user: from !Ab:hs");
  expect(await harness.transcript("agent:a:matrix:channel:!ab:hs")).toContain("user: from !ab:hs");
  expect(
    await harness.call("agent:a:main", "sessions_history", { sessionKey: "agent:a:matrix:channel:!AB:hs" }),
  ).toMatchObject({ code: "not_found" });
});

test("B66: structural parts fold to one spelling, in tools, submissions and events alike", async () => {
  const harness = await openHarness({ script: { default: "hi" } });
  const events: string[] = [];
  harness.trunkline.events.subscribe({}, ({ sessionKey }) => events.push(sessionKey));
  await harness.human(" AGENT:A:Test1 ", "one");
  await harness.human("agent:a:test1", "two");
  await harness.settle();
  expect(new Set(events)).toEqual(new Set(["agent:a:test1"]));
  expect(await harness.transcript("agent:a:test1")).toHaveLength(4);
});

test("B67: a key that names nothing is an error, and nothing is made", async () => {
  const harness = await openHarness();
  await harness.human("agent:a:main", "hello");
  const count = (await harness.call("agent:a:main", "sessions_list", {})) as { count: number };
  for (const sessionKey of [
    "agent:b:telgram:direct:1",
    "agent:nobody:main",
    "nonsense",
    missingId,
    "agent:b:other",
    "hook:x",
    "global",
  ]) {
    expect(await harness.send("agent:a:main", sessionKey, "hello"), sessionKey).toMatchObject({
      status: "error",
      code: "not_found",
    });
  }
  expect(await harness.call("agent:a:main", "sessions_list", {})).toMatchObject({ count: count.count });
});

test("B69: current and main mean the caller's own session and its own agent's main, in every tool that takes a key", async () => {
  const seen: Record<string, unknown> = {};
  const harness = await openHarness({
    script: {
      "agent:b:telegram:group:1": async (request) => {
        for (const sessionKey of ["current", "CURRENT", "main"]) {
          const status = (await callTool(request, "session_status", { sessionKey })) as {
            details?: { sessionKey: string };
          };
          const history = (await callTool(request, "sessions_history", { sessionKey })) as { sessionKey?: string };
          seen[sessionKey] = [status.details?.sessionKey, history.sessionKey];
        }
        return "done";
      },
    },
  });
  await harness.human("agent:b:main", "hello");
  await harness.human("agent:b:telegram:group:1", "go");
  await harness.settle();
  const own = "agent:b:telegram:group:1";
  expect(seen).toEqual({ current: [own, own], CURRENT: [own, own], main: ["agent:b:main", "agent:b:main"] });
});

test("B70: under scope global, main of one agent never gives another agent's data", async () => {
  const harness = await openHarness({ config: { session: { scope: "global" } } });
  await harness.human("agent:a:main", "for a");
  await harness.human("agent:b:main", "for b");
  await harness.settle();
  const read = await harness.call("agent:b:main", "sessions_history", { sessionKey: "main" });
  expect(JSON.stringify(read)).toContain("for b");
  expect(JSON.stringify(read)).not.toContain("for a");
});

test("B71: an explicit key wins over a junk label, and empty strings count as absent", async () => {
  const harness = await openHarness({ script: { default: "hi" } });
  await harness.human("agent:b:main", "hello");
  await harness.settle();
  const sent = await harness.call("agent:a:main", "sessions_send", {
    sessionKey: "agent:b:main",
    label: "junk",
    message: "x",
    timeoutSeconds: 0,
  });
  expect(sent).toMatchObject({ status: "accepted", sessionKey: "agent:b:main" });
  await expect(harness.call("agent:a:main", "sessions_send", { sessionKey: "", message: "x" })).rejects.toMatchObject({
    code: "invalid_input",
  });
});

test("B72: a patch touches only the given fields; null clears one; a reset keeps label, model and pin", async () => {
  const harness = await openHarness();
  const key = "agent:a:telegram:group:1";
  await harness.human(key, "hello");
  await harness.settle();
  await harness.trunkline.patchSession(key, { label: "desk", goal: "calm", pinned: true });
  await harness.trunkline.patchSession(key, { model: "x/y" });
  await harness.trunkline.patchSession(key, { goal: null });
  await harness.trunkline.resetSession(key);
  expect(await harness.session(key)).toMatchObject({ label: "desk", model: "x/y", goal: null, pinned: 1 });
});

test("a caller must be consistent with its key, exist where its kind demands it, and own the run it names", async () => {
  const { trunkline } = await openHarness();
  const wrong = [
    [{ sessionKey: "agent:a:main", agentId: "b" }, "caller.agentId"],
    [{ sessionKey: "agent:a:main", runId: missingId }, "caller.runId"],
    [{ sessionKey: `agent:a:subagent:${missingId}` }, "caller.sessionKey"],
    [{ sessionKey: "agent:a:slack:channel:C1:thread:9" }, "caller.sessionKey"],
  ] as const;
  for (const [caller, path] of wrong) {
    await expect(trunkline.callTool(caller, "sessions_list", {})).rejects.toMatchObject({
      code: "invalid_input",
      path,
    });
  }
  await expect(trunkline.callTool({ sessionKey: "main" }, "sessions_list", {})).rejects.toMatchObject({
    code: "invalid_key",
  });
});

test("a bare cron key belongs to the agent that was given when its session was made", async () => {
  const harness = await openHarness({ config: { tools: { sessions: { visibility: "agent" } } } });
  await harness.trunkline.submit({ sessionKey: "cron:nightly", agentId: "b", text: "go", actor: "system" });
  await harness.human("agent:b:main", "hello");
  await harness.settle();
  const listed = await harness.call("cron:nightly", "sessions_list", {});
  expect("sessions" in listed && listed.sessions.map(({ key }) => key).sort()).toEqual([
    "agent:b:main",
    "cron:nightly",
  ]);
});
