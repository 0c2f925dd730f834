import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { answerAfter, begin, databaseFile, hang, openHarness } from "../harness.ts";

// Group A of docs/field-reports.md: waiting, replies and status of a send.

const a = "agent:a:main";
const b = "agent:b:main";
const quiet = { session: { agentToAgent: { maxPingPongTurns: 0 } } };

test("B01: a wait that ran out says that the message arrived and that its run goes on", async () => {
  const h = await openHarness({ config: quiet });
  h.script({ [b]: answerAfter(h.clock, 3000, "answer") });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 1 }));
  await h.advance(1000);
  const result = await sending.result();
  expect(result).toMatchObject({ status: "timeout", runId: expect.any(String) });
  expect(result).toHaveProperty("error", expect.stringMatching(/delivered.*run goes on.*do not send again/s));
  expect(await h.transcript(b)).toEqual(["user: q"]);
  await h.advance(10_000);
  await h.settle();
  expect((await h.runs(b))[0]).toMatchObject({ state: "ok" });
});

test("B02: a run that was still queued when the wait ended is told so, and its answer can be waited for", async () => {
  const h = await openHarness({ config: quiet });
  h.script({ [b]: answerAfter(h.clock, 2000, "answer") });
  await h.human(b, "busy");
  await h.advance(0);
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 1 }));
  await h.advance(1000);
  const result = await sending.result();
  expect(result).toMatchObject({ status: "timeout", phase: "queued" });
  const runId = "runId" in result ? (result.runId ?? "") : "";
  const later = begin(h.trunkline.waitForRun(runId, { timeoutMs: 60_000 }));
  await h.advance(10_000);
  expect(await later.result()).toEqual({ status: "ok", reply: "answer" });
});

test("B03: an answer after the wait still reaches the requester, once; a run that ended at a limit stays a failure", async () => {
  const h = await openHarness({ config: quiet, script: { flow_announce: "ANNOUNCE_SKIP" } });
  h.script({ [`${b} send`]: answerAfter(h.clock, 3000, "late") });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 1 }));
  await h.advance(10_000);
  await h.settle();
  expect(await sending.result()).toMatchObject({ status: "timeout" });
  expect(await h.transcript(a)).toEqual(["user: late"]);

  const limited = await openHarness({ script: { child: hang } });
  const spawned = await limited.call(a, "sessions_spawn", { task: "t", runTimeoutSeconds: 5 });
  if (spawned.status !== "accepted") throw new Error("no child");
  const waiting = begin(limited.trunkline.waitForRun(spawned.runId, { timeoutMs: 60_000 }));
  await limited.advance(5000);
  await limited.settle();
  expect(await waiting.result()).toMatchObject({ status: "error", code: "run_timeout" });
  expect(limited.runner.requests.map(({ run }) => run.kind)).toEqual(["child"]);
});

test("B04: a run that says nothing gives no reply, whatever its session said before", async () => {
  const h = await openHarness({ script: { [`${b} inbound`]: "OLD", [`${b} send`]: "" } });
  await h.human(b, "hi");
  await h.settle();
  const result = await h.send(a, b, "q");
  expect(result).toMatchObject({ status: "ok" });
  expect(result).not.toHaveProperty("reply");
  expect(JSON.stringify(result)).not.toContain("OLD");
  await h.settle();
});

test("B05: accepted is answered after the commit and not before: a locked database delays or fails it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "trunkline.db");
  for (const busyTimeoutMs of [30_000, 50]) {
    const store = await createSqliteStore({ path, busyTimeoutMs });
    onTestFinished(() => store.close());
    const h = await openHarness({ store, start: false });
    await h.send(a, b, "first", { timeoutSeconds: 0 });
    const rows = (await h.rows(b)).length;
    const unlock = await lockDatabase(path);
    const sending = begin(h.send(a, b, "under the lock", { timeoutSeconds: 0 }));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await h.rows(b)).toHaveLength(rows);
    if (busyTimeoutMs < 100) {
      await expect(sending.result()).rejects.toMatchObject({ code: "store_busy", retryable: true });
      await unlock();
      expect(await h.rows(b)).toHaveLength(rows);
    } else {
      expect(sending.done).toBe(false);
      await unlock();
      expect(await sending.result()).toMatchObject({ status: "accepted" });
      expect(await h.rows(b)).toHaveLength(rows + 1);
    }
  }
});

// Another process: locks of one process do not stop that process itself.
async function lockDatabase(path: string): Promise<() => Promise<void>> {
  const program = [
    "const { DatabaseSync } = require('node:sqlite');",
    "const database = new DatabaseSync(process.argv[1]);",
    "database.exec('begin immediate');",
    "console.log('locked');",
    "process.stdin.on('data', () => { database.exec('rollback'); process.exit(); });",
  ].join("\n");
  const holder = spawn(process.execPath, ["-e", program, path], { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void holder.kill());
  await once(holder.stdout, "data");
  return async () => {
    const gone = once(holder, "exit");
    holder.stdin.write("unlock");
    await gone;
  };
}

test("B06: a session whose last run was aborted or failed takes the next send", async () => {
  const h = await openHarness({ config: quiet, script: { flow_announce: "ANNOUNCE_SKIP", [b]: hang } });
  await h.human(b, "hi");
  await h.advance(0);
  await h.trunkline.abort({ sessionKey: b });
  h.script({ [b]: "back" });
  expect((await h.session(b)).abortedLastRun).toBe(1);
  expect(await h.send(a, b, "q")).toMatchObject({ status: "ok", reply: "back" });
  await h.settle();
});

test("B07: timeoutSeconds bounds the wait, not the run; a parameter of another tool is an input error", async () => {
  const h = await openHarness({ config: quiet });
  const aborted: boolean[] = [];
  h.script({
    [`${b} send`]: async (request) => {
      const text = await answerAfter(h.clock, 5000, "done")(request);
      aborted.push(request.signal.aborted);
      return text;
    },
  });
  const sending = begin(h.send(a, b, "q", { timeoutSeconds: 1 }));
  await h.advance(60_000);
  await h.settle();
  expect(await sending.result()).toMatchObject({ status: "timeout" });
  expect(aborted).toEqual([false]);
  expect((await h.runs(b))[0]?.state).toBe("ok");
  const wrong = { sessionKey: b, message: "q", runTimeoutSeconds: 9 };
  await expect(h.trunkline.callTool({ sessionKey: a }, "sessions_send", Object(wrong))).rejects.toMatchObject({
    code: "invalid_input",
    path: "runTimeoutSeconds",
  });
});

test("B08: one key is one run and one row, at once, again, and after a reconnect", async () => {
  const file = databaseFile();
  const h = await openHarness({ config: quiet, store: await file.open(), script: { default: "once" } });
  const key = { idempotencyKey: "k" };
  const first = await Promise.all([h.send(a, b, "q", key), h.send(a, b, "q", key)]);
  await h.settle();
  await h.trunkline.stop();
  const after = await h.second({ store: await file.open() });
  const again = await after.send(a, b, "q", key);
  expect(first).toEqual([again, again]);
  expect((await after.rows(b)).filter(({ role }) => role === "user")).toHaveLength(1);
});

test("B09: the answer to a send that did not wait is one entry of the requester", async () => {
  const h = await openHarness({ config: quiet, script: { send: "X", flow_announce: "ANNOUNCE_SKIP" } });
  await h.send(a, b, "q", { timeoutSeconds: 0 });
  await h.settle();
  const rows = await h.rows(a);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ body: { content: "X" }, provenance: { kind: "inter_session", sourceSessionKey: b } });
});

test("B82: after a failed turn the row says so and the session still takes messages", async () => {
  const h = await openHarness({ config: quiet, script: { flow_announce: "ANNOUNCE_SKIP" } });
  h.script({
    [`${b} inbound`]: () => {
      throw new Error("boom");
    },
    [`${b} send`]: "fine",
  });
  await h.human(b, "hi");
  await h.settle();
  const listed = await h.call(a, "sessions_list", {});
  const row = "sessions" in listed ? listed.sessions.find(({ key }) => key === b) : undefined;
  expect(row).toMatchObject({ status: "idle", abortedLastRun: true });
  expect(await h.send(a, b, "q")).toMatchObject({ status: "ok", reply: "fine" });
  await h.settle();
  const again = await h.call(a, "sessions_list", {});
  expect("sessions" in again ? again.sessions.map(({ key }) => key).filter((key) => key === b) : []).toHaveLength(1);
});
