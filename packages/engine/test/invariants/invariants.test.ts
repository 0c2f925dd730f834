import type { DeliveryRecord, ReadableKind, ReadableRecords, RunRecord, SpawnRecord } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { callTool, hang, openHarness } from "../harness.ts";
import { findViolations, invariants, violationsOf } from "./find-violations.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** A busy installation: an exchange that is over, a parent that waits for a child, a child that is done, texts posted. */
async function busyStore() {
  const harness = await openHarness({
    channels: [{ channel: "telegram" }],
    script: {
      send: "first",
      turn: (request) => (request.prompt.includes("turn 2") ? "REPLY_SKIP" : "second"),
      flow_announce: "posted",
      "agent:a:main inbound": async (request) => {
        await callTool(request, "sessions_spawn", { task: "slow" });
        await callTool(request, "sessions_spawn", { task: "quick", cleanup: "delete" });
        await callTool(request, "sessions_yield", {});
        return "";
      },
      child: (request) =>
        request.prompt.includes("slow") ? hang(request) : { text: "done", usage: { inputTokens: 3 } },
      child_announce: "summary",
    },
  });
  await harness.human("agent:c:telegram:group:1", "hello");
  await harness.send("agent:b:main", "agent:c:telegram:group:1", "question", { timeoutSeconds: 0, watch: true });
  await harness.clock.advance(0);
  await harness.human("agent:a:main", "go");
  await harness.clock.advance(0);
  await harness.clock.advance(10_000);
  return harness.store;
}

let snapshot: Snapshot;

test("a busy store breaks no rule", async () => {
  const store = await busyStore();
  expect(await findViolations(store)).toEqual([]);
  snapshot = await takeSnapshot(store);
  expect(snapshot.run.map(({ state }) => state)).toEqual(expect.arrayContaining(["running", "ok", "yielded"]));
  expect(snapshot.yield.map(({ state }) => state)).toEqual(["waiting"]);
  expect(snapshot.flow.map(({ phase }) => phase)).toEqual(["done"]);
  expect(snapshot.delivery.map(({ state }) => state)).toContain("delivered");
});

/** The snapshot with some rows of a kind changed; fails when there is none to change. */
function change<K extends ReadableKind>(
  kind: K,
  matches: (row: ReadableRecords[K], index: number) => boolean,
  fields: Partial<ReadableRecords[K]>,
): Snapshot {
  const rows: readonly ReadableRecords[K][] = snapshot[kind];
  if (!rows.some(matches)) throw new Error(`no ${kind} to change`);
  return { ...snapshot, [kind]: rows.map((row, index) => (matches(row, index) ? { ...row, ...fields } : row)) };
}

function without<K extends ReadableKind>(kind: K, matches: (row: ReadableRecords[K]) => boolean): Snapshot {
  const rows: readonly ReadableRecords[K][] = snapshot[kind];
  const kept = rows.filter((row) => !matches(row));
  if (kept.length === rows.length) throw new Error(`no ${kind} to remove`);
  return { ...snapshot, [kind]: kept };
}

const isFirst = (_: unknown, index: number) => index === 0;
const isRunning = ({ state }: RunRecord) => state === "running";
const isOk = ({ state }: RunRecord) => state === "ok";
const isTurn = ({ kind }: RunRecord) => kind === "turn";
const isDelivered = ({ state }: DeliveryRecord) => state === "delivered";
const isSettled = ({ state }: SpawnRecord) => state === "settled";
const all = () => true;

const broken: readonly (readonly [number, string, () => Snapshot])[] = [
  [1, "a second active run", () => secondRun()],
  [2, "a lane held by an ended run", () => change("run", isRunning, { state: "ok" })],
  [2, "a fence that differs", () => change("run", isRunning, { fence: 9 })],
  [3, "a queue counted wrong", () => change("session", isFirst, { queuedRuns: 1 })],
  [4, "a queue that sleeps", () => change("run", isTurn, { state: "queued" })],
  [4, "an ended run that can be claimed", () => change("run", isOk, { claimableAt: 1 })],
  [5, "a missing row", () => without("message", ({ seq }) => seq === 1)],
  [5, "a waiting row that is not counted", () => change("message", ({ seq }) => seq === 2, { seq: 2 ** 52 + 1 })],
  [6, "a run that overtook", () => change("run", ({ runNo }) => runNo === 1, { startSeq: 1e15 })],
  [7, "an ended run without outcome", () => change("run", isOk, { outcome: null })],
  [7, "an ended run with a timer", () => change("run", isOk, { deadlineAt: 1 })],
  [7, "a yielded run without yield", () => without("yield", all)],
  [8, "a lane counted wrong", () => change("counter", ({ scope }) => scope === "lane:subagent", { used: 0 })],
  [9, "children counted wrong", () => change("counter", ({ scope }) => scope.startsWith("children:"), { used: 3 })],
  [10, "a lost completion", () => without("message", ({ dedupeKey }) => dedupeKey?.startsWith("completion:") === true)],
  [11, "a child that nothing will settle", () => change("run", isRunning, { state: "error" })],
  [12, "a yield that waits for too many", () => change("yield", all, { pending: 2 })],
  [13, "a resume that was lost", () => change("yield", all, { state: "resumed" })],
  [14, "yields counted wrong", () => change("session", ({ openYields }) => openYields > 0, { openYields: 0 })],
  [15, "a completion held for ever", () => change("spawn", isSettled, { held: 1, requesterRunId: null })],
  [16, "an exchange that stands still", () => change("flow", all, { phase: "announce" })],
  [16, "an exchange that is over and still runs", () => change("run", isTurn, { state: "running" })],
  [17, "a turn too many", () => change("flow", all, { maxTurns: 1 })],
  [18, "an answer lost", () => without("message", ({ dedupeKey }) => dedupeKey?.startsWith("flow-reply:") === true)],
  [19, "an ended delivery that holds its destination", () => change("delivery", isDelivered, { activeRoute: "x" })],
  [20, "a part that was not sent", () => change("delivery", isDelivered, { partsTotal: 2 })],
  [22, "a gap in a log", () => without("stateEvent", ({ version }) => version === 1)],
  [23, "a cursor that ran ahead", () => change("watch", all, { lastSeen: 99 })],
  [23, "watches counted wrong", () => change("session", ({ watchCount }) => watchCount > 0, { watchCount: 0 })],
  [24, "a child without lineage", () => without("lineage", all)],
  [25, "a rank that did not follow", () => change("session", all, { updatedAt: 1 })],
  [26, "a row beyond the end of its run", () => change("run", isOk, { endSeq: 0 })],
  [27, "a key whose run is gone", () => ({ ...snapshot, idempotency: [keyOfNothing] })],
  [28, "a chain too long", () => change("run", all, { hop: 9 })],
  [29, "a child put away with a text on its way", () => putAwayEarly()],
  [30, "usage that was lost", () => without("usage", all)],
  [33, "a run of a process that nobody knows", () => without("process", all)],
  [34, "a grandchild forgotten", () => grandchildForgotten()],
  [35, "a child that nobody will remove", () => change("spawn", all, { state: "settled", cleanup: "delete" })],
  [
    36,
    "a deleted session that stays full",
    () => change("session", ({ parentId }) => parentId === null, { deletedAt: 1 }),
  ],
];
const keyOfNothing = { scopeHash: "k", fingerprint: "f", runId: "gone", result: null, expiresAt: 1 };

describe("a broken store is told:", () => {
  test.each(broken)("%i %s", (number, _, breakIt) => {
    const told = violationsOf(breakIt()).filter((violation) => violation.startsWith(`${number} `));
    expect(told).not.toEqual([]);
  });

  test("every rule is broken by one of these cases", () => {
    const covered = new Set(broken.map(([number]) => number));
    expect(invariants.map(({ number }) => number).filter((number) => !covered.has(number))).toEqual([]);
  });
});

function secondRun(): Snapshot {
  const going = snapshot.run.find(isRunning);
  if (!going) throw new Error("nothing runs");
  return { ...snapshot, run: [...snapshot.run, { ...going, id: "another" }] };
}

function putAwayEarly(): Snapshot {
  const child = snapshot.spawn[0];
  const waiting = snapshot.delivery[0];
  if (!child || !waiting) throw new Error("nothing to put away");
  return {
    ...change("session", ({ id }) => id === child.childRow, { archived: 1 }),
    spawn: [{ ...child, cleanedAt: 1 }],
    delivery: [{ ...waiting, sessionRow: child.childRow, state: "pending" }],
  };
}

function grandchildForgotten(): Snapshot {
  const child = snapshot.spawn.find(({ state }) => state !== "settled");
  if (!child) throw new Error("no child");
  const settled = {
    ...child,
    id: "above",
    childRow: child.requesterRow,
    state: "settled",
    outcome: "cancelled",
  } as const;
  return { ...snapshot, spawn: [...snapshot.spawn, settled] };
}
