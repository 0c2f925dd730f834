import type { RunRequest, StoreTransaction } from "@trunkline/core";
import { expect, test, vi } from "vitest";
import { newId } from "../../src/identifiers.ts";
import { callTool, databaseFile, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";
import { mortalProcess } from "../mortal-process.ts";
import { racingStore } from "../racing-store.ts";
import { createTestClock } from "../stores/store-traffic.ts";

const main = "agent:a:main";

function sets(transaction: StoreTransaction, state: string): boolean {
  return (
    transaction.records?.some((write) => write.kind === "run" && "set" in write && write.set?.state === state) ?? false
  );
}

/** Two process handles on one database. */
async function openTwo(script: Parameters<typeof openHarness>[0]) {
  const clock = createTestClock();
  const file = databaseFile();
  const first = await openHarness({ ...script, clock, store: await file.open() });
  const second = await openHarness({ ...script, clock, store: await file.open() });
  return { clock, first, second };
}

test("an abort from another process reaches the signal of the owner, at once or with its next look", async () => {
  const reasons: string[] = [];
  const clock = createTestClock();
  const store = await databaseFile().open();
  const owner = mortalProcess(store, clock);
  const first = await openHarness({
    clock: owner.clock,
    store: { ...owner.store, subscribe: () => () => undefined },
    script: {
      default: (request) => {
        request.signal.addEventListener("abort", () => reasons.push(String(request.signal.reason)));
        return hang(request);
      },
    },
  });
  const { runId } = await first.human(main, "hello");
  await clock.advance(0);
  const second = await openHarness({ clock, store });
  await second.trunkline.abort({ runId });
  await clock.advance(0);
  expect(reasons).toEqual([]);
  await clock.advance(5_000);
  expect(reasons).toEqual(["AbortError: cancelled"]);
  expect((await second.run(runId)).state).toBe("cancelled");
  expect(await findViolations(store)).toEqual([]);
});

test("a wait in another process is told of the end, with and without its hint", async () => {
  const { clock, first, second } = await openTwo({ script: { default: "answer" } });
  const { runId } = await first.human(main, "hello");
  const waited = second.trunkline.waitForRun(runId, { timeoutMs: 60_000 });
  await clock.advance(6_000);
  expect(await waited).toEqual({ status: "ok", reply: "answer" });
});

test("what a run stores while it is being stopped lies before its end", async () => {
  const store = await databaseFile().open();
  let emit: RunRequest["emit"] | undefined;
  const racing = racingStore(store, async (transaction) => {
    if (!sets(transaction, "cancelled") || !emit) return;
    const told = emit;
    emit = undefined;
    told({ type: "message", message: { role: "assistant", content: "half of an answer" } });
    await vi.waitFor(async () => expect(await harness.rows(main)).toHaveLength(2));
  });
  const harness = await openHarness({
    store: racing,
    script: {
      default: (request) => {
        emit = request.emit;
        return hang(request);
      },
    },
  });
  const { runId } = await harness.human(main, "hello");
  await harness.advance(0);
  await harness.trunkline.abort({ runId });
  await harness.advance(0);
  expect(await harness.transcript(main)).toEqual(["user: hello", "assistant: half of an answer"]);
  expect((await harness.run(runId)).endSeq).toBe(2);
  expect(await findViolations(store)).toEqual([]);
});

test("a run that is claimed just when it is aborted is aborted", async () => {
  const store = await databaseFile().open();
  let claimNow: (() => Promise<unknown>) | undefined;
  const racing = racingStore(store, async (transaction) => {
    if (!sets(transaction, "cancelled")) return;
    const claim = claimNow;
    claimNow = undefined;
    await claim?.();
  });
  const harness = await openHarness({ store: racing, start: false, script: { default: hang } });
  const { runId } = await harness.human(main, "hello");
  claimNow = async () => {
    const other = await openHarness({ store, clock: harness.clock, script: { default: hang } });
    await other.advance(0);
    expect((await other.run(runId)).state).toBe("running");
  };
  expect(await harness.trunkline.abort({ runId })).toEqual({ aborted: [runId] });
  expect((await harness.run(runId)).state).toBe("cancelled");
  expect(await findViolations(store)).toEqual([]);
});

test("aborting a run cancels its children and theirs, and no other's; their runners are told", async () => {
  const stopped: string[] = [];
  const harness = await openHarness({
    config: { agents: { list: [{ id: "a", default: true }], defaults: { subagents: { maxSpawnDepth: 3 } } } },
    script: {
      default: async (request) => {
        const depth = request.session.spawnDepth;
        request.signal.addEventListener("abort", () => stopped.push(`${request.prompt.trim().slice(-6)} ${depth}`));
        if (depth < 2) await callTool(request, "sessions_spawn", { task: request.prompt.trim().slice(-6) });
        return hang(request);
      },
    },
  });
  const other = await harness.human("agent:a:telegram:group:1", "second");
  const { runId } = await harness.human(main, "first.");
  await harness.advance(0);
  await harness.trunkline.abort({ runId });
  await harness.advance(0);
  expect(stopped.sort()).toEqual(["first. 0", "first. 1", "first. 2"]);
  expect((await harness.run(other.runId)).state).toBe("running");
  const { spawn } = await takeSnapshot(harness.store);
  expect(spawn.map(({ task, outcome }) => `${task} ${outcome}`).sort()).toEqual([
    "first. cancelled",
    "first. cancelled",
    "second null",
    "second null",
  ]);
  expect(await findViolations(harness.store)).toEqual([]);
});

test("aborting a session stops what runs, what waits, its yields and its children; what comes later runs", async () => {
  const harness = await openHarness({
    script: {
      [`${main} inbound`]: async (request) => {
        if (request.prompt !== "yield") return hang(request);
        await callTool(request, "sessions_spawn", { task: "x" });
        await callTool(request, "sessions_yield", {});
        return "";
      },
      child: hang,
    },
  });
  await harness.human(main, "yield");
  await harness.advance(0);
  await harness.human(main, "one");
  await harness.advance(0);
  await harness.human(main, "two");
  await harness.human(main, "three");
  const { aborted } = await harness.trunkline.abort({ sessionKey: main });
  await harness.advance(0);
  expect((await harness.runs(main)).map(({ state }) => state)).toEqual(Array(4).fill("cancelled"));
  expect(aborted).toHaveLength(5);
  expect(await harness.session(main)).toMatchObject({ queuedRuns: 0, openYields: 0, activeRunId: null });
  harness.script({ [`${main} inbound`]: "later" });
  await harness.human(main, "four");
  await harness.settle();
  expect((await harness.transcript(main)).at(-1)).toBe("assistant: later");
  expect(await findViolations(harness.store)).toEqual([]);
});

test("children of ended runs are cancelled with their session even if the process dies in between", async () => {
  const store = await databaseFile().open();
  const clock = createTestClock();
  const process = mortalProcess(store, clock);
  const config = { agents: { list: [{ id: "a", default: true }], defaults: { subagents: { maxConcurrent: 1 } } } };
  const harness = await openHarness({
    store: process.store,
    clock: process.clock,
    config,
    script: {
      [`${main} inbound`]: async (request) => {
        for (const task of ["one", "two", "three"]) await callTool(request, "sessions_spawn", { task });
        return "spawned";
      },
      default: hang,
    },
    hooks: {
      faultPoint: (name) => {
        if (name === "settle.after-commit") process.kill();
      },
    },
  });
  await harness.human(main, "go");
  await clock.advance(0);
  void harness.trunkline.abort({ sessionKey: main }).catch(() => undefined);
  await clock.advance(0);
  const second = await openHarness({ store, clock, config, script: { default: hang } });
  await second.advance(25_000);
  const { spawn } = await takeSnapshot(store);
  expect(spawn.map(({ state }) => state)).toEqual(["settled", "settled", "settled"]);
  expect(second.requests(main)).toHaveLength(0);
  expect(second.runner.requests).toHaveLength(0);
  expect(await findViolations(store)).toEqual([]);
});

test("a cascade that is asked for while another one of its kind waits does not wait with it", async () => {
  const harness = await openHarness({
    script: {
      [`${main} inbound`]: async (request) => {
        await callTool(request, "sessions_spawn", { task: "x" });
        return hang(request);
      },
      default: hang,
    },
  });
  const { runId } = await harness.human(main, "go");
  await harness.advance(0);
  const ref = `run:${runId}`;
  const job = { id: "j", kind: "cascade", ref, dueAt: harness.clock.now() + 60_000, attempts: 0, owner: null } as const;
  await harness.store.commit({ at: harness.clock.now(), records: [{ kind: "job", insert: job }] });
  await harness.trunkline.abort({ runId });
  await harness.advance(0);
  const { spawn } = await takeSnapshot(harness.store);
  expect(spawn.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
});

test("aborting a child that waits for its own children ends it; it is not continued", async () => {
  const harness = await openHarness({
    config: { agents: { list: [{ id: "a", default: true }], defaults: { subagents: { maxSpawnDepth: 2 } } } },
    script: {
      child: async (request) => {
        if (request.session.spawnDepth === 2) return hang(request);
        await callTool(request, "sessions_spawn", { task: "leaf" });
        return "ended before its child";
      },
      default: "",
    },
  });
  await harness.human(main, "made");
  await harness.settle();
  const spawned = await harness.call(main, "sessions_spawn", { task: "middle" });
  await harness.advance(0);
  const sessionKey = "childSessionKey" in spawned ? spawned.childSessionKey : "";
  const { aborted } = await harness.trunkline.abort({ sessionKey });
  await harness.settle();
  expect(aborted).toHaveLength(2);
  expect((await takeSnapshot(harness.store)).spawn.map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
  expect(harness.runner.requests.map(({ run }) => run.kind)).toEqual(["inbound", "child", "child"]);
  expect(await findViolations(harness.store)).toEqual([]);
});

test("what a session spawns after it was aborted is left alone, however late the cancelling goes on", async () => {
  const harness = await openHarness({ script: { child: hang, default: "" } });
  await harness.human(main, "made");
  await harness.settle();
  await harness.call(main, "sessions_spawn", { task: "before" });
  const ref = `session:${(await harness.session(main)).id}`;
  const dueAt = harness.clock.now() + 1_000;
  const job = { id: newId(), kind: "cascade", ref, dueAt, attempts: 0, owner: null } as const;
  await harness.store.commit({ at: harness.clock.now(), records: [{ kind: "job", insert: job }] });
  await harness.call(main, "sessions_spawn", { task: "after" });
  await harness.advance(2_000);
  const { spawn } = await takeSnapshot(harness.store);
  expect(spawn.map(({ task, outcome }) => `${task} ${outcome}`).sort()).toEqual(["after null", "before cancelled"]);
});
