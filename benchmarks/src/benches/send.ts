import type { ToolResult } from "@trunkline/core";
import type { Trunkline } from "@trunkline/engine";
import { createRecordingDeliverer, createScriptedRunner, type ScriptedRunner } from "@trunkline/testkit";
import { openInstallation, openStore } from "../fixtures/installation.ts";
import { groupKey, mainKey, seedSessions } from "../fixtures/seed.ts";
import { atLeast, atMost, type Bench, type BenchContext, exactly, type Finding } from "../harness/bench.ts";
import { createStopwatch, type Stopwatch } from "../harness/stopwatch.ts";

const caller = { sessionKey: mainKey };
const idleMs = 30_000;

interface Messaging {
  readonly trunkline: Trunkline;
  readonly runner: ScriptedRunner;
  readonly children: readonly string[];
  statements(): number;
  close(): Promise<void>;
}

/** Targets 10 to 13, and completions: everything that ends in a run, with a model that answers at once. */
export const send: Bench = {
  name: "send",
  about: "sends and spawns with an instant model: waits, loops, fifty at once, accepts, completions",
  async run(context) {
    const messaging = await openMessaging(context);
    const findings = [
      ...(await toOwnChild(context, messaging)),
      ...(await withLoop(context, messaging)),
      ...(await fiftyAtOnce(context, messaging)),
      ...(await accepts(context, messaging)),
      ...(await completions(context, messaging)),
    ];
    await messaging.close();
    return findings;
  },
};

async function toOwnChild(context: BenchContext, messaging: Messaging): Promise<readonly Finding[]> {
  const { trunkline, runner, children } = messaging;
  let turn = 0;
  const work = () => {
    const sessionKey = children[turn++ % children.length] ?? "";
    return trunkline.callTool(caller, "sessions_send", { sessionKey, message: "How far are you?" });
  };
  const spent = await timed(context, work, (result) => result.status === "ok", trunkline);
  const before = { calls: runner.requests.length, statements: messaging.statements() };
  await work();
  const statements = messaging.statements() - before.statements;
  await trunkline.waitForIdle({ timeoutMs: idleMs });
  const calls = runner.requests.length - before.calls;
  return [
    { line: "10", what: "send to an own child and wait", ...spent.milliseconds(), target: atMost(5) },
    { line: "10", what: "model calls of it", value: calls, unit: "calls", target: exactly(1) },
    { line: "10", what: "statements until its answer", value: statements, unit: "statements" },
  ];
}

async function withLoop(context: BenchContext, messaging: Messaging): Promise<readonly Finding[]> {
  const { trunkline, runner } = messaging;
  const watch = createStopwatch();
  const counts: number[] = [];
  for (let turn = 0; turn < rounds(context); turn++) {
    const calls = runner.requests.length;
    await watch.time(async () => {
      await trunkline.callTool(caller, "sessions_send", { sessionKey: groupKey(turn), message: "Shall we ship?" });
      await trunkline.waitForIdle({ timeoutMs: idleMs });
    });
    counts.push(runner.requests.length - calls);
  }
  const what = "send, five turns and announce, until quiet";
  return [
    { line: "11", what, ...watch.milliseconds(), target: atMost(30) },
    { line: "11", what: "model calls of it", value: Math.max(...counts), unit: "calls", target: exactly(7) },
  ];
}

async function fiftyAtOnce(context: BenchContext, { trunkline, children }: Messaging): Promise<readonly Finding[]> {
  const watch = createStopwatch();
  const send = (sessionKey: string) =>
    trunkline.callTool(caller, "sessions_send", { sessionKey, message: "How far are you?" });
  for (let turn = 0; turn < rounds(context); turn++) {
    const results = await watch.time(() => Promise.all(children.map(send)));
    demand(results.every(({ status }) => status === "ok"));
    await trunkline.waitForIdle({ timeoutMs: idleMs });
  }
  const what = `${children.length} waiting sends to as many sessions at once`;
  return [{ line: "12", what, ...watch.perSecond(children.length), target: atLeast(300) }];
}

async function accepts(context: BenchContext, { trunkline }: Messaging): Promise<readonly Finding[]> {
  let turn = 100;
  const sendZero = () =>
    trunkline.callTool(caller, "sessions_send", {
      sessionKey: groupKey(turn++),
      message: "Note this",
      timeoutSeconds: 0,
    });
  const spawn = () => trunkline.callTool(caller, "sessions_spawn", { task: "Look into it" });
  const accepted = (result: ToolResult<"sessions_send"> | ToolResult<"sessions_spawn">) => result.status === "accepted";
  const sent = await timed(context, sendZero, accepted, trunkline);
  const spawned = await timed(context, spawn, accepted, trunkline);
  return [
    { line: "13", what: "accept of a send without a wait", ...sent.milliseconds(), target: atMost(2) },
    { line: "13", what: "accept of a spawn", ...spawned.milliseconds(), target: atMost(3) },
  ];
}

async function completions(context: BenchContext, { trunkline }: Messaging): Promise<readonly Finding[]> {
  const watch = createStopwatch();
  for (let turn = 0; turn < rounds(context); turn++) {
    await watch.time(async () => {
      await spawnMany(trunkline, 50);
      await trunkline.waitForIdle({ timeoutMs: idleMs });
    });
  }
  return [{ line: "14", what: "children spawned, run, announced and entered", ...watch.perSecond(50) }];
}

async function spawnMany(trunkline: Trunkline, count: number): Promise<readonly string[]> {
  const spawned = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      trunkline.callTool(caller, "sessions_spawn", { task: `Look into part ${index}` }),
    ),
  );
  return spawned.map((result) => {
    if (result.status !== "accepted") throw new Error(`a spawn was refused: ${result.error}`);
    return result.childSessionKey;
  });
}

/** Times single calls; the work that they set off ends in between, outside the time. */
async function timed<T>(
  context: BenchContext,
  work: () => Promise<T>,
  isExpected: (result: T) => boolean,
  trunkline: Trunkline,
): Promise<Stopwatch> {
  const watch = createStopwatch();
  for (let turn = 0; turn < rounds(context) * 5; turn++) {
    demand(isExpected(await watch.time(work)));
    await trunkline.waitForIdle({ timeoutMs: idleMs });
  }
  return watch;
}

function rounds({ quick }: BenchContext): number {
  return quick ? 9 : 21;
}

function demand(holds: boolean): void {
  if (!holds) throw new Error("a call did not come to the result that is measured");
}

async function openMessaging(context: BenchContext): Promise<Messaging> {
  let statements = 0;
  const { store } = await openStore(context, { onStatement: () => void statements++ });
  await seedSessions(store, 1000, 2);
  const runner = createScriptedRunner(() => "Done so far.");
  const trunkline = await openInstallation({
    store,
    runner,
    deliverers: [createRecordingDeliverer({ channel: "telegram" })],
    config: { agents: { defaults: { subagents: { maxChildrenPerAgent: 100, maxConcurrent: 50 } } } },
  });
  await trunkline.start();
  const children = await spawnMany(trunkline, 50);
  await trunkline.waitForIdle({ timeoutMs: idleMs });
  return {
    trunkline,
    runner,
    children,
    statements: () => statements,
    async close() {
      await trunkline.stop();
      await store.close();
    },
  };
}
