import { expect, test } from "vitest";
import { answerAfter, begin, callTool, databaseFile, type Harness, openHarness } from "../harness.ts";
import { inserts, racingStore } from "../racing-store.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const nobody = "3f1c1e9a-6f43-4c3e-9d8a-1f0d7e5b2c11";

async function counts(h: Harness) {
  const sessions = await h.store.listSessions({ scope: { every: true }, archived: false, limit: 1000 });
  return { sessions: sessions.length, requests: h.runner.requests.length };
}

test("scenario 8: unknown targets and ambiguous labels are errors and leave nothing behind", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY" } });
  await h.human(a, "hi");
  for (const key of ["agent:b:one", "agent:b:two"]) {
    await h.human(key, "hi");
    await h.trunkline.patchSession(key, { label: "twin" });
  }
  await h.settle();
  const before = await counts(h);
  const unknown = await h.send(a, nobody, "x");
  expect(unknown).toMatchObject({ status: "error", code: "not_found" });
  expect(unknown).not.toHaveProperty("runId");
  expect(await h.call(a, "sessions_send", { label: "nothing", message: "x" })).toMatchObject({ code: "not_found" });
  expect(await h.call(a, "sessions_send", { agentId: "ghost", message: "x" })).toMatchObject({ status: "error" });
  expect(await h.send(a, "agent:b:telgram:direct:1", "x")).toMatchObject({ code: "not_found" });
  expect(await h.send(a, "no key at all", "x")).toMatchObject({ code: "not_found" });
  const twin = await h.call(a, "sessions_send", { label: "twin", message: "x" });
  expect(twin).toMatchObject({ status: "error", code: "ambiguous" });
  expect("error" in twin && twin.error).toMatch(/agent:b:one, agent:b:two/);
  await h.settle();
  expect(await counts(h)).toEqual(before);
});

test("an ambiguous label names only sessions that the sender may reach, and archived ones do not count", async () => {
  const h = await openHarness({
    config: { tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["a", "b"] } } },
    script: { send: "hello", turn: "REPLY_SKIP" },
  });
  await h.human(a, "hi");
  for (const key of ["agent:b:one", "agent:b:two", "agent:c:one"]) {
    await h.human(key, "hi");
    await h.trunkline.patchSession(key, { label: "twin" });
  }
  await h.settle();
  const two = await h.call(a, "sessions_send", { label: "twin", message: "x" });
  expect(two).toMatchObject({ code: "ambiguous" });
  expect(JSON.stringify(two)).not.toContain("agent:c");
  await h.trunkline.patchSession("agent:b:one", { archived: true });
  expect(await h.call(a, "sessions_send", { label: "twin", message: "x" })).toMatchObject({
    status: "ok",
    sessionKey: "agent:b:two",
  });
  await h.settle();
});

test("scenario 9: a thread is refused by key, by sessionId and by label, and the refusal names the parent chat", async () => {
  const h = await openHarness({ script: { default: "ok" }, channels: [{ channel: "slack" }] });
  await h.trunkline.receive({
    channel: "slack",
    peer: { kind: "channel", id: "C1" },
    threadId: "9",
    text: "in the thread",
  });
  await h.settle();
  const thread = "agent:a:slack:channel:C1:thread:9";
  const { sessionId, updatedAt } = await h.trunkline.patchSession(thread, { label: "the thread" });
  const before = await counts(h);
  const refused = {
    status: "error",
    code: "thread_target",
    error: expect.stringContaining("agent:a:slack:channel:C1"),
  };
  expect(await h.send(b, thread, "x")).toEqual(refused);
  expect(await h.send(b, sessionId, "x")).toEqual(refused);
  expect(await h.call(b, "sessions_send", { label: "the thread", message: "x" })).toEqual(refused);
  await h.settle();
  expect((await h.session(thread)).updatedAt).toBe(updatedAt);
  expect(await counts(h)).toMatchObject({ requests: before.requests });
});

test("scenario 10: a session cannot wait for itself; a message to itself runs after the current turn", async () => {
  const h = await openHarness();
  const seen: unknown[] = [];
  h.script({
    [`${a} inbound`]: async (request) => {
      seen.push(await callTool(request, "sessions_send", { sessionKey: "main", message: "note", timeoutSeconds: 5 }));
      seen.push(await callTool(request, "sessions_send", { sessionKey: "main", message: "note", timeoutSeconds: 0 }));
      await answerAfter(h.clock, 1000, "")(request);
      expect(h.requests(a)).toHaveLength(1);
      return "first turn done";
    },
    [`${a} send`]: "second turn done",
    [`${a} flow_announce`]: "ANNOUNCE_SKIP",
  });
  await h.human(a, "go");
  await h.advance(1000);
  await h.settle();
  expect(seen).toEqual([
    expect.objectContaining({ status: "error", code: "self_send" }),
    expect.objectContaining({ status: "accepted", sessionKey: a }),
  ]);
  expect(await h.transcript(a)).toEqual([
    "user: go",
    "assistant: first turn done",
    "user: note",
    "assistant: second turn done",
    "assistant: ANNOUNCE_SKIP",
  ]);
});

test("scenario 25: a target reset between resolving and admission gets no message; an archived one refuses it", async () => {
  const side = "agent:b:side";
  const h = await openHarness({ script: { default: "yes" } });
  await h.human(side, "hi");
  await h.settle();
  let resets = 0;
  const raced = await h.second({
    start: false,
    store: racingStore(h.store, async (transaction) => {
      if (inserts(transaction, "flow") && resets++ === 0) await h.trunkline.resetSession(side);
    }),
  });
  expect(await raced.send(a, side, "for the old one")).toMatchObject({ status: "error", code: "session_changed" });
  await h.settle();
  expect(resets).toBe(1);
  expect(await h.transcript(side)).toEqual([]);
  await h.trunkline.patchSession(side, { archived: true });
  expect(await h.send(a, side, "x")).toMatchObject({ status: "error", code: "archived" });
  expect(await h.transcript(side)).toEqual([]);
});

test("scenario 26: the main session of a configured agent is made for its first message, another agent's never", async () => {
  const h = await openHarness({ script: { send: "hello", turn: "REPLY_SKIP", default: "NO_REPLY" } });
  expect(await h.call(a, "sessions_send", { agentId: "c", message: "x" })).toMatchObject({
    status: "ok",
    reply: "hello",
    sessionKey: "agent:c:main",
  });
  await h.settle();
  expect((await h.stateEvents("agent:c:main")).map(({ kind }) => kind)).toEqual([
    "created",
    "run_completed",
    "run_completed",
  ]);
  expect(await h.send(a, "agent:c:else", "x")).toMatchObject({ code: "not_found" });
  expect(await h.call(a, "sessions_send", { agentId: "ghost", message: "x" })).toMatchObject({ status: "error" });
  expect(await h.find("agent:ghost:main")).toBeUndefined();
  expect(await h.find("agent:c:else")).toBeUndefined();
});

test("an explicit key wins over a label, empty strings count as absent, and a forged tool is refused", async () => {
  const h = await openHarness({
    config: {
      agents: { list: [{ id: "a", default: true }, { id: "b" }, { id: "c", tools: { deny: ["sessions_send"] } }] },
    },
    script: { send: "yes", default: "NO_REPLY" },
  });
  expect(await h.call(a, "sessions_send", { sessionKey: b, label: "junk", agentId: "", message: "x" })).toMatchObject({
    status: "ok",
    sessionKey: b,
  });
  expect(await h.call(a, "sessions_send", { sessionKey: "", agentId: "b", label: "", message: "x" })).toMatchObject({
    status: "ok",
    sessionKey: b,
  });
  await expect(h.call(a, "sessions_send", { sessionKey: "", message: "x" })).rejects.toMatchObject({
    code: "invalid_input",
  });
  await expect(h.call(a, "sessions_send", { sessionKey: b, message: "x", timeoutSeconds: 3601 })).rejects.toMatchObject(
    { code: "invalid_input", path: "timeoutSeconds" },
  );
  expect(await h.send("agent:c:main", b, "x")).toMatchObject({ status: "forbidden", code: "tool_not_allowed" });
  await h.settle();
});

test("a target deleted while it runs the message gives run_cancelled", async () => {
  const h = await openHarness();
  await h.human("agent:b:side", "hi");
  await h.settle();
  h.script({ "agent:b:side": answerAfter(h.clock, 5000, "late") });
  const sending = begin(h.send(a, "agent:b:side", "x"));
  await h.advance(10);
  await h.trunkline.deleteSession("agent:b:side");
  await h.settle();
  expect(await sending.result()).toMatchObject({ status: "error", code: "run_cancelled" });
});

test("a run that is aborted while it sends has sent nothing", async () => {
  const file = databaseFile();
  const seen: unknown[] = [];
  let aborts = 0;
  const h = await openHarness({
    store: racingStore(await file.open(), async (transaction) => {
      if (inserts(transaction, "flow") && aborts++ === 0) await h.trunkline.abort({ sessionKey: a });
    }),
  });
  h.script({
    [`${a} inbound`]: async (request) => {
      seen.push(await callTool(request, "sessions_send", { sessionKey: b, message: "x", timeoutSeconds: 0 }));
      return "never heard";
    },
  });
  await h.human(b, "hi");
  await h.human(a, "go");
  await h.advance(0);
  await h.settle();
  expect((await h.runs(a)).map(({ state }) => state)).toEqual(["cancelled"]);
  expect(seen).toEqual([expect.objectContaining({ status: "error", code: "run_cancelled" })]);
  expect(await h.transcript(b)).toEqual(["user: hi"]);
});

test("a label is narrowed by an agent, and its case counts", async () => {
  const h = await openHarness({ script: { default: "NO_REPLY", send: "here" } });
  for (const key of ["agent:b:one", "agent:c:one"]) {
    await h.human(key, "hi");
    await h.trunkline.patchSession(key, { label: "desk" });
  }
  await h.settle();
  expect(await h.call(a, "sessions_send", { label: "desk", agentId: "c", message: "x" })).toMatchObject({
    status: "ok",
    sessionKey: "agent:c:one",
  });
  expect(await h.call(a, "sessions_send", { label: "Desk", message: "x" })).toMatchObject({ code: "not_found" });
  await h.settle();
});
