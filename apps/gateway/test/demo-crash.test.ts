import { join } from "node:path";
import type { SessionStore } from "@trunkline/core";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, test, vi } from "vitest";
import { countWaitingDeliveries, findDemoSession, listDemoSessions } from "../src/demo/demo-records.ts";
import { coordinatorKey, editorKey } from "../src/runtime/demo-setup.ts";
import { writeDocuments } from "./documents-folder.ts";
import {
  collect,
  type JsonLine,
  jsonLines,
  runProgram,
  startProgram,
  temporaryFolder,
  waitForLine,
} from "./run-program.ts";

// Whole processes are started here, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

async function killAt(directory: string, fits: (line: JsonLine) => boolean): Promise<void> {
  const child = startProgram(["demo"], { directory });
  const ended = collect(child);
  await waitForLine(child, fits);
  child.kill("SIGKILL");
  expect(await ended).toMatchObject({ signal: "SIGKILL" });
}

async function goOn(directory: string) {
  const { exitCode, stdout } = await runProgram(["demo"], { directory });
  const lines = jsonLines(stdout);
  return { exitCode, lines, summary: lines.at(-1) ?? {} };
}

/** Nothing lost, nothing twice: what has to hold of the store after any kill and one more run. */
async function checkStore(directory: string): Promise<void> {
  await using store = await createSqliteStore({ path: join(directory, ".trunkline", "demo.db") });
  const sessions = await listDemoSessions(store);
  expect(sessions.filter((row) => row.activeRunId !== null || row.queuedRuns > 0 || row.openYields > 0)).toEqual([]);
  expect(await countWaitingDeliveries(store)).toBe(0);
  const main = await findDemoSession(store, coordinatorKey);
  const editor = await findDemoSession(store, editorKey);
  const spawns = await spawnsOf(store, main?.id ?? "");
  for (const { runId, state } of spawns) {
    const [entries] = await store.read([
      { find: "message", index: "dedupe", equals: [main?.id ?? "", `completion:${runId}`], limit: 5 },
    ]);
    expect({ state, entries: entries.length }).toEqual({ state: "settled", entries: 1 });
  }
  const [runs, deliveries] = await store.read([
    { find: "run", index: "runNo", equals: [editor?.id ?? ""], limit: 1_000 },
    { find: "delivery", index: "session", equals: [editor?.id ?? ""], limit: 1_000 },
  ]);
  const announced = runs.filter(({ kind }) => kind === "flow_announce").map(({ id }) => id);
  expect(deliveries.map(({ state }) => state)).toEqual(deliveries.map(() => "delivered"));
  expect(new Set(deliveries.map(({ cause }) => cause)).size).toBe(deliveries.length);
  expect(deliveries.length).toBeLessThanOrEqual(announced.length);
}

async function spawnsOf(store: SessionStore, requesterRow: string) {
  const [spawns] = await store.read([
    { find: "spawn", index: "requester", equals: [requesterRow, "settled"], limit: 1_000 },
  ]);
  return spawns;
}

/** Some readers are done, all others are at work, and the coordinator's own turn is surely over. */
function thirdReaderAfterYield(): (line: JsonLine) => boolean {
  let done = 0;
  let waits = false;
  return ({ type, verb }) => {
    waits ||= verb === "yield";
    if (waits && type === "child_settled") done++;
    return done === 3;
  };
}

test("killed while readers read: what was queued goes on, who was inside counts as interrupted, the answer says so", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 12, paragraphs: 5_000 });
  await killAt(folder.path, thirdReaderAfterYield());
  const { exitCode, lines, summary } = await goOn(folder.path);
  expect(exitCode).toBe(0);
  expect(lines[0]).toMatchObject({
    type: "header",
    run: 1,
    resuming: expect.stringMatching(/^\d+ of 12 readers had finished$/),
  });
  expect(summary).toMatchObject({ ok: true, run: 1, completions: 12, readers: 12, delivered: 1, pending: 0 });
  const stopped = lines.filter(({ type, verb }) => type === "child_settled" && verb === "stopped");
  expect(stopped.length).toBeGreaterThan(0);
  const remark = /Not read: (.*?)[,;] (?:its|their \d+) readers? (?:was|were) interrupted\.$/.exec(
    String(summary["answer"]),
  );
  const unread = stopped.map(({ text }) => String(text).split(":")[0]);
  expect(remark?.[1]?.split(", ").toSorted()).toEqual(unread.toSorted());
  const earlier = lines.filter(({ type, earlier: before }) => type === "child_settled" && before === true);
  expect(earlier.length).toBeGreaterThan(0);
  await checkStore(folder.path);
});

test("killed while the coordinator spawns: the question is asked anew as run 2, and no finished document is read twice", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 30, paragraphs: 40 });
  const child = startProgram(["demo", "--limit", "30"], { directory: folder.path });
  const ended = collect(child);
  await waitForLine(child, ({ type }) => type === "spawn");
  child.kill("SIGKILL");
  await ended;
  const { stdout, exitCode } = await runProgram(["demo", "--limit", "30"], { directory: folder.path });
  const lines = jsonLines(stdout);
  const summary = lines.at(-1) ?? {};
  expect({ exitCode, ok: summary["ok"], pending: summary["pending"] }).toEqual({ exitCode: 0, ok: true, pending: 0 });
  await checkStore(folder.path);
  const again = lines.find(({ type }) => type === "asked_again");
  if (again === undefined) return expect(summary["run"]).toBe(1);
  expect(lines).toContainEqual(expect.objectContaining({ who: "coordinator", verb: "stopped" }));
  expect(summary["run"]).toBe(2);
  const at = lines.indexOf(again);
  const read = lines.slice(0, at).filter(({ type, verb }) => type === "child_settled" && verb === "done");
  const spawned = lines.slice(at).filter(({ type }) => type === "spawn");
  expect(read.length + spawned.length).toBe(30);
  const names = new Set(read.map(({ text }) => String(text).split(":")[0]));
  for (const { text } of spawned) expect(names).not.toContain(String(text).replace("a reader for ", ""));
});

test.each(["yield", "send", "announce"])(
  "killed at the line %s, one more run answers and the store holds everything once",
  async (verb) => {
    await using folder = await temporaryFolder();
    await writeDocuments(folder.path, { count: 4, paragraphs: 20 });
    await killAt(folder.path, (line) => line["verb"] === verb);
    const { exitCode, summary } = await goOn(folder.path);
    expect({ exitCode, ok: summary["ok"], delivered: summary["delivered"], pending: summary["pending"] }).toEqual({
      exitCode: 0,
      ok: true,
      delivered: 1,
      pending: 0,
    });
    await checkStore(folder.path);
  },
);
