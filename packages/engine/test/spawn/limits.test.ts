import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { callTool, databaseFile, emptyStore, type Harness, hang, openHarness } from "../harness.ts";
import { inserts, racingStore } from "../racing-store.ts";
import { databaseDigest, main, spawn, spawnIn, spawnsOf, usedSlots } from "./family.ts";

const run = promisify(execFile);

async function burst(engines: readonly Harness[], times: number): Promise<Record<string, number>> {
  const results = await Promise.all(
    Array.from({ length: times }, (_, index) =>
      engines[index % engines.length]?.call(main, "sessions_spawn", { task: `part ${index}` }),
    ),
  );
  const tally: Record<string, number> = {};
  for (const result of results) {
    const word = result && "code" in result ? result.code : (result?.status ?? "");
    tally[word] = (tally[word] ?? 0) + 1;
  }
  return tally;
}

test("scenario 31: of eight spawns in one tick five are accepted; when a child ends another is accepted", async () => {
  const h = await openHarness({ script: { default: hang } });
  expect(await burst([h], 8)).toEqual({ accepted: 5, children_limit: 3 });
  expect(await h.call(main, "sessions_spawn", { task: "one more" })).toMatchObject({
    status: "forbidden",
    code: "children_limit",
  });
  const [first] = await spawnsOf(h, main);
  await h.trunkline.abort({ runId: first?.runId ?? "" });
  await spawn(h, main, { task: "the ninth" });
  expect(await usedSlots(h, main)).toBe(5);
});

test("scenario 31: a spawn whose commit fails for good gives no slot away", async () => {
  const { open } = databaseFile();
  const store = racingStore(await open(), (transaction) => {
    if (inserts(transaction, "spawn")) throw new Error("the disk is full");
  });
  const h = await openHarness({ store, script: { default: hang } });
  await expect(h.call(main, "sessions_spawn", { task: "work" })).rejects.toThrow("the disk is full");
  expect(await usedSlots(h, main)).toBe(0);
  expect(await spawnsOf(h, main)).toEqual([]);
});

test("B78: of twenty parallel spawns under a cap of five exactly five are accepted", async () => {
  const h = await openHarness({ script: { default: hang } });
  expect(await burst([h], 20)).toEqual({ accepted: 5, children_limit: 15 });
  expect(await spawnsOf(h, main)).toHaveLength(5);
});

test("B78: two engines on one file share the cap", async () => {
  const { open } = databaseFile();
  const first = await openHarness({ store: await open(), script: { default: hang } });
  await first.call(main, "sessions_list", {});
  const second = await openHarness({ store: await open(), clock: first.clock, script: { default: hang } });
  expect(await burst([first, second], 20)).toEqual({ accepted: 5, children_limit: 15 });
  expect(await usedSlots(first, main)).toBe(5);
  expect(await spawnsOf(second, main)).toHaveLength(5);
});

test("B78: two processes on one file share the cap", async () => {
  const { open, place } = databaseFile();
  await (await open()).migrate();
  const order = JSON.stringify(await place());
  const script = fileURLToPath(new URL("reservation-process.ts", import.meta.url));
  const startAt = String(Date.now() + 1500);
  const spawner = () =>
    run(process.execPath, ["--conditions=trunkline-source", script, order, "10", startAt], { timeout: 60_000 });
  const outputs = await Promise.all([spawner(), spawner()]);
  const codes = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
  expect(codes.filter((code) => code === "accepted")).toHaveLength(5);
  expect(codes.filter((code) => code === "children_limit")).toHaveLength(15);
});

test("a child that has ended but waits for its own children still counts", async () => {
  const config = {
    agents: { defaults: { subagents: { maxSpawnDepth: 2, maxChildrenPerAgent: 1 } }, list: [{ id: "a" }] },
  };
  const h = await openHarness({ config, script: { default: "done" } });
  h.script({
    child: async (request) => {
      if (request.session.spawnDepth === 2) return hang(request);
      await spawnIn(request, { task: "part" });
      return "started it";
    },
  });
  const child = await spawn(h, main, { task: "whole" });
  await h.advance(0);
  expect((await h.runs(child.childSessionKey)).map(({ state }) => state)).toEqual(["ok"]);
  expect(await h.call(main, "sessions_spawn", { task: "more" })).toMatchObject({ code: "children_limit" });
  const [grandchild] = await spawnsOf(h, child.childSessionKey);
  await h.trunkline.abort({ runId: grandchild?.runId ?? "" });
  await h.advance(0);
  await spawn(h, main, { task: "more" });
});

test("the same idempotency key starts one child, in parallel and later; other arguments are a conflict", async () => {
  const h = await openHarness({ start: false });
  const args = { task: "work", idempotencyKey: "k1" };
  const [first, ...others] = await Promise.all(Array.from({ length: 6 }, () => spawn(h, main, args)));
  for (const other of others) expect(other).toEqual(first);
  expect(await spawn(h, main, args)).toEqual(first);
  expect(await spawnsOf(h, main)).toHaveLength(1);
  expect(await h.call(main, "sessions_spawn", { ...args, task: "other work" })).toMatchObject({
    status: "error",
    code: "conflict",
  });
  await h.call("agent:a:slack:group:c1", "sessions_spawn", args);
  expect(await spawnsOf(h, "agent:a:slack:group:c1")).toHaveLength(1);
  await h.advance(30 * 24 * 3_600_000);
  expect(await spawn(h, main, args)).not.toEqual(first);
});

test("a refused spawn is not remembered under its key", async () => {
  const h = await openHarness({ script: { default: "done" } });
  const args = { task: "work", idempotencyKey: "k1" };
  expect(await h.call(main, "sessions_spawn", { ...args, agentId: "b" })).toMatchObject({ status: "forbidden" });
  await spawn(h, main, args);
});

test("a run that ends while it spawns leaves no child behind and is told that it is over", async () => {
  const plain = await emptyStore();
  let cancel: (() => Promise<unknown>) | undefined;
  const store = racingStore(plain, async (transaction) => {
    if (!cancel || !inserts(transaction, "spawn")) return;
    const now = cancel;
    cancel = undefined;
    await now();
  });
  const h = await openHarness({ store, script: { child: hang } });
  let result: unknown;
  h.script({
    [`${main} inbound`]: async (request) => {
      cancel = () => h.trunkline.abort({ runId: request.run.id });
      result = await callTool(request, "sessions_spawn", { task: "work" });
      return "";
    },
  });
  const { runId } = await h.human(main, "go");
  await h.settle();
  expect(result).toMatchObject({ status: "error", code: "run_cancelled" });
  expect((await h.run(runId)).state).toBe("cancelled");
  expect(await spawnsOf(h, main)).toEqual([]);
  expect(await usedSlots(h, main)).toBe(0);
});

test("a task that no store takes is too large, and nothing is left of it", async () => {
  const h = await openHarness({ script: { child: hang } });
  await h.call(main, "sessions_list", {});
  const before = await databaseDigest(h);
  const result = await h.call(main, "sessions_spawn", { task: "x".repeat(17 * 1024 * 1024) });
  expect(result).toMatchObject({ status: "error", code: "too_large" });
  expect(await databaseDigest(h)).toBe(before);
});
