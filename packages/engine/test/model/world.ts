import { type SessionStore, TrunklineError } from "@trunkline/core";
import type { FakeClock } from "@trunkline/testkit";
import { createEngine } from "../../src/create-trunkline.ts";
import type { Trunkline } from "../../src/index.ts";
import { type MortalProcess, mortalProcess } from "../mortal-process.ts";
import { openPlace } from "../stores/store-place.ts";
import { createTestClock, watchedStore } from "../stores/store-traffic.ts";
import { takeDatabase, testStore } from "../stores/test-databases.ts";
import { type Script, sessionKeys } from "./plan.ts";
import { type Effects, scriptedChannel, scriptedRunner } from "./scripted-world.ts";

export interface WorldProcess {
  readonly mortal: MortalProcess;
  readonly trunkline: Trunkline;
  /** Resolves when it is killed. */
  readonly death: PromiseWithResolvers<void>;
}

/** One piece of work that came from outside, and what is known of it. */
export interface Work {
  readonly runId: string;
  readonly plan: number;
  readonly from: "message" | "send" | "spawn";
  /** The sessions were left in peace, and no process died, from its admission to its end. */
  peaceful: boolean;
  ended: boolean;
}

/** An installation of several processes on one store, with everything outside it. */
export interface World {
  readonly script: Script;
  readonly clock: FakeClock;
  readonly store: SessionStore;
  readonly effects: Effects;
  readonly processes: WorldProcess[];
  readonly works: Work[];
  /** Runs that were seen to end or to yield, by a process that lived to tell. */
  readonly endedRuns: Set<string>;
  /** Waits for calls that hang in a process that died are in here for ever. */
  readonly calls: Promise<unknown>[];
  /** Starts one more process. */
  start(): Promise<void>;
  /** A process that the outside talks to, by a number; one is started if none lives. */
  front(door?: number): Promise<WorldProcess>;
  kill(process: WorldProcess): void;
  /** The process that comes to the nth boundary from now dies there. */
  killAtBoundary(nth: number): void;
  /** The connection dies in the nth commit from now, which takes effect or does not. */
  loseConnectionAt(nth: number, takesEffect: boolean): void;
  /** Lets everything that was set off come to its end, or to a wait for the clock. */
  settle(): Promise<void>;
  /** From here on nothing that is going counts as peaceful. */
  disturb(): void;
  /** How often it was disturbed. */
  readonly disturbances: number;
  close(): Promise<void>;
}

export const limits = { maxChildren: 3, maxHops: 4 };

const config = {
  agents: {
    list: [{ id: "a", default: true }, { id: "b" }],
    defaults: { subagents: { maxSpawnDepth: 3, maxChildrenPerAgent: limits.maxChildren, maxConcurrent: 2 } },
  },
  session: { agentToAgent: { maxPingPongTurns: 2, maxHops: limits.maxHops } },
  tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true } },
} as const;

export async function openWorld(script: Script): Promise<World> {
  const clock = createTestClock();
  const database = testStore === "sqlite" ? undefined : await takeDatabase();
  const store = watchedStore(await openPlace(database?.place ?? { store: "sqlite", url: ":memory:" }));
  const effects: Effects = { calls: [], sends: [] };
  const runner = scriptedRunner(script, clock, effects);
  const channel = scriptedChannel(script, effects);
  const random = createRandom(script.seed);
  const graves: MortalProcess[] = [];
  let untilDeath = 0;
  let disturbances = 0;
  const connection: Connection = { untilLoss: 0, takesEffect: false, isLost: false };

  const world: World = {
    script,
    clock,
    store,
    effects,
    processes: [],
    works: [],
    endedRuns: new Set(),
    calls: [],
    async start() {
      const mortal = mortalProcess(interleaved(store, random, connection), clock);
      const trunkline = await createEngine(
        {
          store: mortal.store,
          clock: mortal.clock,
          runners: { ...runner, run: (request) => (mortal.isDead ? never : runner.run(request)), default: runner },
          deliverers: [
            { ...channel, send: (message, options) => (mortal.isDead ? never : channel.send(message, options)) },
          ],
          config,
          lanes: { main: 2, nested: 2 },
        },
        { faultPoint: () => reach(process) },
      );
      const process: WorldProcess = { mortal, trunkline, death: Promise.withResolvers() };
      trunkline.events.subscribe({ types: ["run_ended"] }, ({ runId }) => {
        if (runId === undefined) return;
        world.endedRuns.add(runId);
        const work = world.works.find((known) => known.runId === runId);
        if (work) work.ended = true;
      });
      world.processes.push(process);
      // It may die while it starts.
      await Promise.race([trunkline.start().catch(() => undefined), process.death.promise]);
    },
    async front(door = 0) {
      while (true) {
        const process = world.processes[door % Math.max(world.processes.length, 1)];
        if (process) return process;
        await world.start();
      }
    },
    kill(process) {
      world.disturb();
      process.mortal.kill();
      process.death.resolve();
      graves.push(process.mortal);
      world.processes.splice(world.processes.indexOf(process), 1);
    },
    killAtBoundary(nth) {
      untilDeath = nth;
    },
    loseConnectionAt(nth, takesEffect) {
      connection.untilLoss = nth;
      connection.takesEffect = takesEffect;
    },
    async settle() {
      await clock.advance(0);
      if (!connection.isLost) return;
      // Whether a lost commit took effect is looked up again and again, in real time.
      connection.isLost = false;
      await new Promise((resolve) => setTimeout(resolve, 300));
      await clock.advance(0);
    },
    get disturbances() {
      return disturbances;
    },
    disturb() {
      disturbances += 1;
      for (const work of world.works) if (!work.ended) work.peaceful = false;
    },
    async close() {
      for (const { trunkline } of world.processes) await trunkline.stop({ drainMs: 0 });
      for (const mortal of graves) mortal.bury();
      await store.close();
      await database?.release();
    },
  };

  function reach(process: WorldProcess): void {
    if (untilDeath === 0 || process.mortal.isDead) return;
    untilDeath -= 1;
    if (untilDeath > 0) return;
    world.kill(process);
    throw new Error("killed here");
  }

  const { trunkline } = await world.front();
  await trunkline.submit({ sessionKey: sessionKeys.group, text: "hello group" });
  await clock.advance(0);
  return world;
}

const never = new Promise<never>(() => undefined);

interface Connection {
  untilLoss: number;
  takesEffect: boolean;
  isLost: boolean;
}

/**
 * Lets each call of the store wait for some turns of the event loop, so that processes and calls interleave in many ways,
 * and loses the connection in the middle of a commit when that is wanted.
 */
function interleaved(store: SessionStore, random: () => number, connection: Connection): SessionStore {
  async function waitSomeTurns(): Promise<void> {
    for (let turns = Math.floor(random() * 3); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    ...store,
    async read(requests) {
      await waitSomeTurns();
      return store.read(requests);
    },
    async commit(transaction) {
      await waitSomeTurns();
      if (connection.untilLoss === 0 || --connection.untilLoss > 0) return store.commit(transaction);
      connection.isLost = true;
      if (connection.takesEffect) await store.commit(transaction);
      throw new TrunklineError("store_outcome_unknown", "the connection died", { retryable: true });
    },
  };
}

function createRandom(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
