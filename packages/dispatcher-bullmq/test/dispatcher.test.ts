import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { Queue } from "bullmq";
import { expect, onTestFinished, test } from "vitest";
import { createBullmqDispatcher } from "../src/index.ts";
import { redisAnswers, url } from "./redis.ts";

const withRedis = test.runIf(await redisAnswers());

function answer(ran: string[], entry: string): string {
  ran.push(entry);
  return "ok";
}

function files() {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-bullmq-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { database: join(directory, "trunkline.db"), queue: `trunkline-test-${crypto.randomUUID()}` };
}

async function open(database: string, queue: string, handler: (key: string) => string | Promise<string>) {
  const store = await createSqliteStore({ path: database });
  const dispatcher = createBullmqDispatcher({ url, queue, stalledAfterMs: 1000 });
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner(({ session }) => handler(session.key)),
    deliverers: [],
    dispatcher,
    config: { agents: { list: [{ id: "main", default: true }] } },
  });
  await trunkline.start();
  onTestFinished(async () => {
    await trunkline.stop({ drainMs: 0 });
    await store.close();
  });
  return trunkline;
}

withRedis(
  "a run is carried out by whichever process gets its job, and each run once",
  { timeout: 60_000 },
  async () => {
    const { database, queue } = files();
    const ran: string[] = [];
    const workers = [0, 1].map((index) => open(database, queue, (key) => answer(ran, `${index} ${key}`)));
    const [first] = await Promise.all(workers);
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        first?.submit({ sessionKey: `agent:main:telegram:group:${index % 10}`, text: `message ${index}` }),
      ),
    );
    const outcomes = await Promise.all(sent.map((run) => first?.waitForRun(run?.runId ?? "", { timeoutMs: 30_000 })));
    expect(outcomes.map((outcome) => outcome?.status)).toEqual(Array.from({ length: 40 }, () => "ok"));
    expect(ran).toHaveLength(40);
  },
);

withRedis("a queue that was wiped loses no run: what is claimable is offered again", { timeout: 60_000 }, async () => {
  const { database, queue } = files();
  const store = await createSqliteStore({ path: database });
  const waiting = await createTrunkline({
    store,
    runners: createScriptedRunner(() => "ok"),
    deliverers: [],
    config: {},
  });
  const { runId } = await waiting.submit({ sessionKey: "agent:main:main", text: "hello" });
  const bare = new Queue(queue, { connection: { url } });
  await bare.add("main", {}, { jobId: runId });
  await bare.obliterate({ force: true });
  await bare.close();
  await store.close();
  const trunkline = await open(database, queue, () => "ok");
  expect(await trunkline.waitForRun(runId, { timeoutMs: 30_000 })).toEqual({ status: "ok", reply: "ok" });
});

withRedis("a job for a run that has ended, or never was, ends quietly", { timeout: 60_000 }, async () => {
  const { database, queue } = files();
  const ran: string[] = [];
  const trunkline = await open(database, queue, (key) => answer(ran, key));
  const { runId } = await trunkline.submit({ sessionKey: "agent:main:main", text: "hello" });
  await trunkline.waitForRun(runId, { timeoutMs: 30_000 });
  const bare = new Queue(queue, { connection: { url } });
  for (const jobId of [runId, crypto.randomUUID()]) await bare.add("main", {}, { jobId, removeOnComplete: true });
  while ((await bare.getJobCountByTypes("wait", "active", "delayed")) > 0) await new Promise((r) => setTimeout(r, 20));
  await bare.close();
  expect(ran).toEqual(["agent:main:main"]);
});

withRedis(
  "a worker killed inside its run: the run is interrupted, never run again, and the next one goes on",
  { timeout: 90_000 },
  async () => {
    const { database, queue } = files();
    const worker = spawn(
      process.execPath,
      ["--conditions=trunkline-source", join(import.meta.dirname, "hanging-worker.ts"), database, queue, url],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    onTestFinished(() => void worker.kill("SIGKILL"));
    const runId = await new Promise<string>((resolve) =>
      worker.stdout.once("data", (line) => resolve(String(line).trim())),
    );
    const ran: string[] = [];
    const trunkline = await open(database, queue, (key) => answer(ran, key));
    const { runId: next } = await trunkline.submit({ sessionKey: "agent:main:main", text: "and now?" });
    worker.kill("SIGKILL");
    expect(await trunkline.waitForRun(runId, { timeoutMs: 60_000 })).toMatchObject({
      status: "error",
      code: "run_interrupted",
    });
    expect(await trunkline.waitForRun(next, { timeoutMs: 60_000 })).toEqual({ status: "ok", reply: "ok" });
    expect(ran).toEqual(["agent:main:main"]);
  },
);
