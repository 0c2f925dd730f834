import type { ToolResult } from "@trunkline/core";
import type { Trunkline } from "@trunkline/engine";
import { createRecordingDeliverer, createScriptedRunner, type ScriptedRunner } from "@trunkline/testkit";
import { openInstallation, openStore } from "../fixtures/installation.ts";
import { groupKey, mainKey, seedSessions } from "../fixtures/seed.ts";
import { atLeast, atMost, type Bench, type BenchContext, exactly, type Finding } from "../harness/bench.ts";
import { median, quantile } from "../harness/median.ts";

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
  const times = await timed(context, work, (result) => result.status === "ok", trunkline);
  const before = { calls: runner.requests.length, statements: messaging.statements() };
  await work();
  const statements = messaging.statements() - before.statements;
  await trunkline.waitForIdle({ timeoutMs: idleMs });
  return [
    { line: "10", what: "send to an own child and wait", ...milliseconds(times), target: atMost(5) },
    {
      line: "10",
      what: "model calls of it",
      value: runner.requests.length - before.calls,
      unit: "calls",
      target: exactly(1),
    },
    { line: "10", what: "statements until its answer", value: statements, unit: "statements" },
  ];
}

async function withLoop(context: BenchContext, messaging: Messaging): Promise<readonly Finding[]> {
  const { trunkline, runner } = messaging;
  const times: number[] = [];
  const counts: number[] = [];
  for (let turn = 0; turn < rounds(context); turn++) {
    const calls = runner.requests.length;
    const start = performance.now();
    await trunkline.callTool(caller, "sessions_send", { sessionKey: groupKey(turn), message: "Shall we ship?" });
    await trunkline.waitForIdle({ timeoutMs: idleMs });
    times.push(performance.now() - start);
    counts.push(runner.requests.length - calls);
  }
  return [
    {
      line: "11",
      what: "send, five turns and announce, until quiet",
      ...milliseconds(times),
      target: atMost(30),
    },
    { line: "11", what: "model calls of it", value: Math.max(...counts), unit: "calls", target: exactly(7) },
  ];
}

async function fiftyAtOnce(context: BenchContext, messaging: Messaging): Promise<readonly Finding[]> {
  const rates: number[] = [];
  for (let turn = 0; turn < rounds(context); turn++) {
    const start = performance.now();
    const results = await Promise.all(
      messaging.children.map((sessionKey) =>
        messaging.trunkline.callTool(caller, "sessions_send", { sessionKey, message: "How far are you?" }),
      ),
    );
    rates.push(results.length / ((performance.now() - start) / 1000));
    demand(results.every(({ status }) => status === "ok"));
    await messaging.trunkline.waitForIdle({ timeoutMs: idleMs });
  }
  const what = `${messaging.children.length} waiting sends to as many sessions at once`;
  return [{ line: "12", what, ...perSecond(rates), target: atLeast(300) }];
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
    { line: "13", what: "accept of a send without a wait", ...milliseconds(sent), target: atMost(2) },
    { line: "13", what: "accept of a spawn", ...milliseconds(spawned), target: atMost(3) },
  ];
}

async function completions(context: BenchContext, { trunkline }: Messaging): Promise<readonly Finding[]> {
  const rates: number[] = [];
  for (let turn = 0; turn < rounds(context); turn++) {
    const start = performance.now();
    await spawnMany(trunkline, 50);
    await trunkline.waitForIdle({ timeoutMs: idleMs });
    rates.push(50 / ((performance.now() - start) / 1000));
  }
  return [{ line: "14", what: "children spawned, run, announced and entered", ...perSecond(rates) }];
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

/** The median of times; beside it the fastest tenth, which a busy machine hardly touches. */
function milliseconds(times: readonly number[]) {
  return { value: median(times), unit: "ms", detail: `fastest tenth ${quantile(times, 0.1).toFixed(2)} ms` } as const;
}

function perSecond(rates: readonly number[]) {
  return { value: median(rates), unit: "/s", detail: `fastest tenth ${quantile(rates, 0.9).toFixed(0)} /s` } as const;
}

/** Times of single calls; the work that they set off ends in between, outside the time. */
async function timed<T>(
  context: BenchContext,
  work: () => Promise<T>,
  isExpected: (result: T) => boolean,
  trunkline: Trunkline,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < rounds(context) * 5; turn++) {
    const start = performance.now();
    const result = await work();
    times.push(performance.now() - start);
    demand(isExpected(result));
    await trunkline.waitForIdle({ timeoutMs: idleMs });
  }
  // The first calls are the compiler's.
  return times.slice(times.length >> 1);
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
