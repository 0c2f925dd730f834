import { setTimeout as sleep } from "node:timers/promises";
import { createTrunkline, type Trunkline } from "@trunkline/engine";
import { createScriptedRunner } from "@trunkline/testkit";
import { expect, onTestFinished, test } from "vitest";
import { databaseFile } from "../harness.ts";
import { engineLog, startEngine } from "./start-engine.ts";

const watcher = "agent:a:main";
const watched = "agent:a:telegram:group:1";
const rounds = 7;

/** An engine in this process that admits, waits and looks, and another process that does the work. */
async function twoProcesses() {
  const { open, place } = databaseFile();
  const store = await open();
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner(() => "never called"),
    deliverers: [],
    // Carries nothing out, started or not.
    dispatcher: { offer: async () => undefined, start: async () => undefined, stop: async () => undefined },
    config: { agents: { list: [{ id: "a", default: true }] }, tools: { sessions: { visibility: "all" } } },
  });
  onTestFinished(() => trunkline.stop({ drainMs: 0 }));
  const log = engineLog();
  const worker = await startEngine({ place: await place(), log: log.path });
  // Pushed hints come at once; a poll that has found nothing for a while looks twice a second.
  const withinMs = store.capabilities.push ? 700 : 2500;
  return { store, trunkline, log, worker, withinMs };
}

async function answered(trunkline: Trunkline, sessionKey: string, text: string): Promise<number> {
  const startedAt = performance.now();
  const { runId } = await trunkline.submit({ sessionKey, text });
  expect(await trunkline.waitForRun(runId, { timeoutMs: 60_000 })).toEqual({ status: "ok", reply: "done" });
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

test("work reaches a process that slept, and its end reaches whoever waits in another", {
  timeout: 120_000,
}, async () => {
  const { trunkline, log, withinMs } = await twoProcesses();
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await sleep(600);
    took.push(await answered(trunkline, watched, `message ${round}`));
  }
  expect(median(took)).toBeLessThan(withinMs);
  expect(log.entries().filter(({ what }) => what === "began")).toHaveLength(rounds);
});

test("what another process does with a run is told to this one's listeners, once", { timeout: 120_000 }, async () => {
  const { trunkline, worker, withinMs } = await twoProcesses();
  const events: string[] = [];
  const late: number[] = [];
  await trunkline.start();
  trunkline.events.subscribe(
    { sessionKey: watched, types: ["run_queued", "run_ended"] },
    ({ type, at, kind, state, text }) => {
      events.push([type, kind, state, text].filter((part) => part !== undefined).join(" "));
      if (type === "run_ended") late.push(Date.now() - at);
    },
  );
  for (let round = 1; round <= rounds; round++) {
    await sleep(600);
    worker.tell({ sessionKey: watched, text: `message ${round}` });
    await expect.poll(() => late.length, { timeout: 60_000 }).toBe(round);
  }
  expect(events.filter((event) => event.startsWith("run_ended"))).toEqual(
    Array(rounds).fill("run_ended inbound ok done"),
  );
  expect(median(late)).toBeLessThan(withinMs);
});

test("a notice of a change in one process is placed before the next turn in another", {
  timeout: 120_000,
}, async () => {
  const { trunkline, log, worker } = await twoProcesses();
  await answered(trunkline, watched, "hello");
  const sent = await trunkline.callTool({ sessionKey: watcher }, "sessions_send", {
    sessionKey: watched,
    message: "question",
    watch: true,
  });
  expect(sent).toMatchObject({ status: "ok", watched: true });
  await trunkline.waitForIdle({ timeoutMs: 60_000 });
  worker.tell({ sessionKey: watched, text: "a person speaks" });
  await expect
    .poll(() => log.entries().some((entry) => "prompt" in entry && entry.prompt === "a person speaks"), {
      timeout: 60_000,
    })
    .toBe(true);
  await answered(trunkline, watcher, "next turn");
  const prompts = log
    .entries()
    .flatMap((entry) => ("prompt" in entry && entry.sessionKey === watcher ? [entry.prompt] : []));
  const turn = prompts.find((prompt) => prompt.includes("next turn"));
  expect(turn?.startsWith("The watched session")).toBe(true);
});
