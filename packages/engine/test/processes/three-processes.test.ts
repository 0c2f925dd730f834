import { once } from "node:events";
import { createTrunkline } from "@trunkline/engine";
import { createScriptedRunner } from "@trunkline/testkit";
import { expect, onTestFinished, test } from "vitest";
import { isEnded } from "../../src/runs/run-states.ts";
import { databaseFile } from "../harness.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";
import { testStore } from "../stores/test-databases.ts";
import type { EngineLogEntry } from "./engine-process.ts";
import { redisUrl, withRedis } from "./redis.ts";
import { engineLog, startEngine } from "./start-engine.ts";

const sessions = 100;
const messagesEach = 4;
const admitted = sessions * messagesEach;

const onPostgres = testStore === "postgres" ? withRedis : test.skip;

onPostgres(
  "three processes, 500 runs over 100 sessions, one killed half-way: all end, one at a time, each completion once",
  { timeout: 300_000 },
  async () => {
    const { open, place } = databaseFile();
    const log = engineLog();
    const queue = { url: redisUrl, name: `trunkline-test-${crypto.randomUUID()}` };
    const store = await open();
    const trunkline = await createTrunkline({
      store,
      runners: createScriptedRunner(() => "never called"),
      deliverers: [],
      config: { agents: { list: [{ id: "a", default: true }] } },
    });
    onTestFinished(() => trunkline.stop({ drainMs: 0 }));
    const order = { place: await place(), log: log.path, runMs: 20, queue };
    const processes = await Promise.all([startEngine(order), startEngine(order), startEngine(order)]);

    for (let message = 0; message < messagesEach; message++) {
      await Promise.all(
        Array.from({ length: sessions }, (_, session) =>
          trunkline.submit({
            sessionKey: `agent:a:telegram:group:${session}`,
            text: message === 1 ? "spawn a child" : `message ${message}`,
          }),
        ),
      );
    }
    await until(() => count(log.entries(), "ended") >= (admitted + sessions) / 2);
    const [victim] = processes;
    victim?.child.kill("SIGKILL");
    if (victim) await once(victim.child, "exit");
    const atDeath = log.entries();
    await trunkline.waitForIdle({ timeoutMs: 200_000 });

    const rows = await takeSnapshot(store);
    expect(rows.run.filter((run) => !isEnded(run)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([]);
    expect(rows.run.filter(({ kind }) => kind === "inbound")).toHaveLength(admitted);
    const cutOff = new Set(unfinished(atDeath, victim?.child.pid));
    const failed = rows.run.filter(({ state }) => state !== "ok");
    expect(failed.map(({ state }) => state)).toEqual(failed.map(() => "interrupted"));
    // A run is started just before its runner is called, and goes on until its answer is written.
    const lost = new Set(failed.map(({ id }) => id));
    expect(log.entries().filter(({ runId, pid }) => lost.has(runId) && pid !== victim?.child.pid)).toEqual([]);
    expectOneAtATime(log.entries(), new Set(atDeath.map(({ runId }) => runId)), cutOff);

    // A parent that was cut off before it spawned has no child; every child's completion is in its parent's transcript once.
    expect(rows.spawn.length).toBeGreaterThan(sessions / 2);
    expect(rows.spawn.filter(({ state }) => state !== "settled")).toEqual([]);
    const completions = rows.message.filter(({ dedupeKey }) => dedupeKey?.startsWith("completion:"));
    expect(completions.map(({ dedupeKey }) => dedupeKey).toSorted()).toEqual(
      rows.spawn.map(({ runId }) => `completion:${runId}`).toSorted(),
    );
  },
);

function count(entries: readonly EngineLogEntry[], what: EngineLogEntry["what"]): number {
  return entries.filter((entry) => entry.what === what).length;
}

/** Runs that a process had begun and not ended. */
function unfinished(entries: readonly EngineLogEntry[], pid: number | undefined): readonly string[] {
  const ended = new Set(entries.flatMap((entry) => (entry.what === "ended" ? [entry.runId] : [])));
  return entries.flatMap((entry) =>
    entry.what === "began" && entry.pid === pid && !ended.has(entry.runId) ? [entry.runId] : [],
  );
}

/** No runner is called twice for a run, and none while another run of the session is going, but for one that died. */
function expectOneAtATime(
  entries: readonly EngineLogEntry[],
  beforeDeath: ReadonlySet<string>,
  cutOff: ReadonlySet<string>,
): void {
  const going = new Map<string, string>();
  const called = new Set<string>();
  for (const { what, sessionKey, runId } of entries) {
    if (what === "ended") {
      going.delete(sessionKey);
      continue;
    }
    expect(called.has(runId), `run ${runId} was called again`).toBe(false);
    called.add(runId);
    const other = going.get(sessionKey);
    const afterADeath = other !== undefined && cutOff.has(other) && !beforeDeath.has(runId);
    expect(other === undefined || afterADeath, `${sessionKey} runs ${runId} beside ${other}`).toBe(true);
    going.set(sessionKey, runId);
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}
