import { expect, test } from "vitest";
import { answerAfter, callTool, databaseFile, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { completions, main, spawn, spawnIn, spawning, spawningAndYielding, spawnOf, usedSlots } from "./family.ts";

const slack = { channel: "slack" } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;

/** A runner that ignores its signal and says something when it is let go. */
function deaf() {
  const release = Promise.withResolvers<void>();
  const said: string[] = [];
  return {
    release: release.resolve,
    said,
    handler: async (request: Parameters<typeof callTool>[0]) => {
      await release.promise;
      request.emit({ type: "text", text: "late" });
      request.emit({ type: "message", message: { role: "assistant", content: "late message" } });
      said.push(JSON.stringify(await callTool(request, "sessions_list", {}).catch(String)));
      return "late answer";
    },
  };
}

test("B81: at its limit a child is terminal at once though its runner ignores the signal: the slot is free, the parent goes on, late text is discarded", async () => {
  const { release, handler } = deaf();
  const config = {
    agents: { defaults: { subagents: { maxConcurrent: 1 } }, list: [{ id: "a" }] },
    tools: { subagents: { tools: { allow: ["sessions_list"] } } },
  };
  const h = await openHarness({ config, channels: [slack] });
  h.script({
    [`${main} inbound`]: spawningAndYielding([{ task: "work", runTimeoutSeconds: 1 }]),
    child: handler,
    resume: "it took too long",
  });
  const { runId = "" } = await h.trunkline.receive(asked);
  await h.advance(999);
  expect(await completions(h, main)).toEqual([]);
  await h.advance(1);
  expect((await completions(h, main))[0]).toContain("Status: timeout");
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toMatchObject({
    status: "ok",
    reply: "it took too long",
  });
  expect(await usedSlots(h, main)).toBe(0);
  await h.trunkline.waitForIdle({ timeoutMs: 30_000 });
  const [child] = h.runner.requests.filter(({ run }) => run.kind === "child");
  const key = child?.session.key ?? "";
  const before = await h.transcript(key);
  const events: string[] = [];
  h.trunkline.events.subscribe({ sessionKey: key }, ({ type }) => events.push(type));
  release();
  await h.advance(5000);
  expect(await h.transcript(key)).toEqual(before);
  expect(events).toEqual([]);
  expect(h.requests(key)).toHaveLength(1);
  h.script({ child: "next" });
  await spawn(h, main, { task: "next" });
  await h.settle();
  expect(await completions(h, main)).toHaveLength(2);
  expect(await findViolations(h.store)).toEqual([]);
});

test("scenario 37: a child that runs over its limit is status timeout, noted as such, and posted", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: spawning([{ task: "work", runTimeoutSeconds: 5 }]),
    child: (request) => {
      request.emit({ type: "message", message: { role: "assistant", content: "so far" } });
      return answerAfter(h.clock, 60_000, "never")(request);
    },
  });
  await h.trunkline.receive(asked);
  await h.advance(5000);
  await h.settle();
  expect((await completions(h, main))[0]).toContain("Status: timeout\nResult: so far\nNotes:\n- ");
  expect(h.channel("slack").sent).toHaveLength(1);
  expect(h.runner.requests.filter(({ run }) => run.kind === "child_announce")).toEqual([]);
});

test("the clock of a child runs on through its yield, and takes its own children with it", async () => {
  const config = { agents: { defaults: { subagents: { maxSpawnDepth: 2 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config });
  h.script({
    child: async (request) => {
      if (request.session.spawnDepth === 2) return answerAfter(h.clock, 60_000, "part")(request);
      await spawnIn(request, { task: "part" });
      await callTool(request, "sessions_yield", {});
      return "";
    },
    resume: "too late",
  });
  const child = await spawn(h, main, { task: "whole", runTimeoutSeconds: 10 });
  await h.advance(9999);
  expect(await spawnOf(h, child.runId)).toMatchObject({ state: "running", outcome: null });
  await h.advance(1);
  await h.settle();
  expect(await spawnOf(h, child.runId)).toMatchObject({ state: "settled", outcome: "timeout" });
  const [parts] = await h.store.read([{ find: "spawn", index: "settled", equals: ["settled"], limit: 10 }]);
  expect(parts.map(({ outcome }) => outcome).sort()).toEqual(["cancelled", "timeout"]);
  await h.advance(120_000);
  expect(h.runner.requests.map(({ run }) => run.kind)).toEqual(["child", "child"]);
  expect(await findViolations(h.store)).toEqual([]);
});

test("a resume gets what is left of the child's time", async () => {
  const config = { agents: { defaults: { subagents: { maxSpawnDepth: 2 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config });
  h.script({
    child: async (request) => {
      if (request.session.spawnDepth === 2) return answerAfter(h.clock, 6000, "part")(request);
      await spawnIn(request, { task: "part" });
      await callTool(request, "sessions_yield", {});
      return "";
    },
    resume: answerAfter(h.clock, 6000, "too late"),
  });
  const child = await spawn(h, main, { task: "whole", runTimeoutSeconds: 10 });
  await h.advance(10_000);
  await h.settle();
  expect(await spawnOf(h, child.runId)).toMatchObject({ outcome: "timeout" });
});

test("a child that yielded and ignores its signal still ends at its limit, and lets go of its slot", async () => {
  const { release, handler } = deaf();
  const config = {
    agents: { defaults: { subagents: { maxSpawnDepth: 2, maxConcurrent: 2 } }, list: [{ id: "a" }] },
  };
  const h = await openHarness({ config });
  h.script({
    child: async (request) => {
      if (request.session.spawnDepth === 2) return "part";
      await spawnIn(request, { task: "part" });
      await callTool(request, "sessions_yield", {});
      return handler(request);
    },
  });
  const child = await spawn(h, main, { task: "whole", runTimeoutSeconds: 10 });
  await h.advance(10_000);
  expect(await spawnOf(h, child.runId)).toMatchObject({ outcome: "timeout" });
  await h.trunkline.waitForIdle({ timeoutMs: 30_000 });
  release();
  await h.settle();
  expect(await completions(h, main)).toHaveLength(1);
  expect(await findViolations(h.store)).toEqual([]);
});

test("the limit comes from the configuration where the spawn names none; 0 is no limit", async () => {
  const config = { agents: { defaults: { subagents: { runTimeoutSeconds: 2 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config });
  h.script({ child: answerAfter(h.clock, 300_000, "done"), child_announce: "ANNOUNCE_SKIP" });
  const limited = await spawn(h, main, { task: "work" });
  const unlimited = await spawn(h, main, { task: "work", runTimeoutSeconds: 0 });
  await h.advance(300_000);
  expect((await spawnOf(h, limited.runId)).outcome).toBe("timeout");
  expect((await spawnOf(h, unlimited.runId)).outcome).toBe("success");
});

test("the time of a child begins with its first run, not with its wait for a slot", async () => {
  const config = { agents: { defaults: { subagents: { maxConcurrent: 1 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config });
  h.script({ child: answerAfter(h.clock, 8000, "done"), child_announce: "ANNOUNCE_SKIP" });
  await spawn(h, main, { task: "first" });
  const second = await spawn(h, main, { task: "second", runTimeoutSeconds: 10 });
  await h.advance(16_000);
  await h.settle();
  expect((await spawnOf(h, second.runId)).outcome).toBe("success");
});

test("the time limit ends with the task: an announce step of its own length does not make it a timeout", async () => {
  const h = await openHarness();
  h.script({ child: answerAfter(h.clock, 900, "done"), child_announce: answerAfter(h.clock, 60_000, "summary") });
  const child = await spawn(h, main, { task: "work", runTimeoutSeconds: 1 });
  await h.advance(61_000);
  await h.settle();
  expect((await spawnOf(h, child.runId)).outcome).toBe("success");
  expect((await completions(h, main))[0]).toContain("Result: summary");
});

test("B82: a failed turn leaves the session usable: it says that its last run was aborted, and takes a send", async () => {
  const h = await openHarness();
  h.script({
    child: () => {
      throw new Error("broke");
    },
    send: "still here",
  });
  const child = await spawn(h, main, { task: "work" });
  await h.settle();
  const list = await h.call(main, "sessions_list", {});
  const row = "sessions" in list ? list.sessions.find(({ key }) => key === child.childSessionKey) : undefined;
  expect(row).toMatchObject({ abortedLastRun: true, status: "idle" });
  expect(await h.send(main, child.childSessionKey, "hello?")).toMatchObject({ status: "ok", reply: "still here" });
});

test("a child that is ended by another process keeps what it had said so far as its result", async () => {
  const { open } = databaseFile();
  const first = await openHarness({ store: await open() });
  first.script({
    child: async (request) => {
      request.emit({ type: "message", message: { role: "assistant", content: "half of it" } });
      return answerAfter(first.clock, 3_600_000, "all of it")(request);
    },
  });
  const child = await spawn(first, main, { task: "work" });
  await first.advance(0);
  const other = await openHarness({ store: await open(), clock: first.clock, start: false });
  await other.call(main, "subagents", { action: "cancel", runId: child.runId });
  await first.advance(10_000);
  expect((await completions(first, main))[0]).toContain("Status: cancelled\nResult: half of it\n");
  expect(first.requests(child.childSessionKey)[0]?.signal.aborted).toBe(true);
});
