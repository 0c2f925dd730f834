import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createTrunkline, type LaneCaps, type Trunkline } from "@trunkline/engine";
import { createPostgresStore } from "@trunkline/store-postgres";
import { createScriptedRunner } from "@trunkline/testkit";
import { createPostgresDatabase, postgresServer } from "../fixtures/own-database.ts";
import { mainKey, seedSessions } from "../fixtures/seed.ts";
import { atLeast, atMost, type BenchContext, type Finding } from "../harness/bench.ts";
import { median, quantile } from "../harness/median.ts";
import { createStopwatch } from "../harness/stopwatch.ts";

const caller = { sessionKey: mainKey };
const idleMs = 30_000;
const childrenAtOnce = 50;
const replier = fileURLToPath(new URL("../fixtures/replying-process.ts", import.meta.url));

/** Targets 10, 12 and 14 on PostgreSQL, with a model that answers at once. */
export async function messagingOnPostgres(context: BenchContext): Promise<readonly Finding[]> {
  const { url, drop } = await createPostgresDatabase(postgresServer);
  const findings = [...(await inOneProcess(url, context)), await acrossProcesses(url, context)];
  await drop();
  return findings;
}

async function inOneProcess(url: string, context: BenchContext): Promise<readonly Finding[]> {
  const { trunkline, close } = await open(url);
  await seedSessions(trunkline.store, 1000, 2);
  await trunkline.start();
  const children = await spawnChildren(trunkline, childrenAtOnce);
  const single = createStopwatch();
  for (let turn = 0; turn < rounds(context) * 15; turn++) {
    await single.time(() => sendAndWait(trunkline, children[turn % children.length] ?? ""));
    await trunkline.waitForIdle({ timeoutMs: idleMs });
  }
  const many = createStopwatch();
  for (let turn = 0; turn < rounds(context); turn++) {
    await many.time(() => Promise.all(children.map((child) => sendAndWait(trunkline, child))));
    await trunkline.waitForIdle({ timeoutMs: idleMs });
  }
  await close();
  const where = "postgres";
  return [
    { line: "10", what: `send to an own child and wait, ${where}`, ...single.milliseconds(), target: atMost(10) },
    {
      line: "12",
      what: `${childrenAtOnce} waiting sends to as many sessions at once, ${where}`,
      ...many.perSecond(childrenAtOnce),
      target: atLeast(200),
    },
  ];
}

/** The child's runs are carried out by another process; its reply says when it was given, on the clock of the machine. */
async function acrossProcesses(url: string, context: BenchContext): Promise<Finding> {
  const { trunkline, close } = await open(url, { nested: 0 });
  await trunkline.start();
  const other = fork(replier, [url], { execArgv: process.execArgv });
  await once(other, "message");
  const [child = ""] = await spawnChildren(trunkline, 1);
  const times: number[] = [];
  for (let turn = 0; turn < rounds(context) * 3; turn++) {
    const repliedAt = Number(await sendAndWait(trunkline, child));
    times.push(performance.timeOrigin + performance.now() - repliedAt);
  }
  other.send("stop");
  await once(other, "exit");
  await close();
  return {
    line: "14",
    what: "reply in one process → visible to the requester in another, postgres",
    value: median(times),
    unit: "ms",
    target: atMost(25),
    detail: `fastest tenth ${quantile(times, 0.1).toFixed(2)} ms, slowest tenth ${quantile(times, 0.9).toFixed(2)} ms`,
  };
}

async function open(url: string, lanes: LaneCaps = {}) {
  const store = await createPostgresStore({ url });
  const subagents = { maxChildrenPerAgent: 200, maxConcurrent: childrenAtOnce };
  const trunkline = await createTrunkline({
    store,
    lanes,
    runners: createScriptedRunner(() => "Done so far."),
    deliverers: [],
    config: { tools: { sessions: { visibility: "all" } }, agents: { defaults: { subagents } } },
  });
  return {
    trunkline,
    async close() {
      await trunkline.stop();
      await store.close();
    },
  };
}

async function spawnChildren(trunkline: Trunkline, count: number): Promise<readonly string[]> {
  const spawned = await Promise.all(
    Array.from({ length: count }, (_, part) =>
      trunkline.callTool(caller, "sessions_spawn", { task: `Look into part ${part}` }),
    ),
  );
  await trunkline.waitForIdle({ timeoutMs: idleMs });
  return spawned.map((result) => {
    if (result.status !== "accepted") throw new Error(`a spawn was refused: ${result.error}`);
    return result.childSessionKey;
  });
}

async function sendAndWait(trunkline: Trunkline, sessionKey: string): Promise<string> {
  const result = await trunkline.callTool(caller, "sessions_send", { sessionKey, message: "How far are you?" });
  if (result.status !== "ok") throw new Error("a send did not come to the result that is measured");
  return result.reply ?? "";
}

function rounds({ quick }: BenchContext): number {
  return quick ? 9 : 21;
}
