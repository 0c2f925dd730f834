import {
  type Clock,
  type Deliverer,
  type Dispatcher,
  type Logger,
  parseConfig,
  type Runner,
  type SessionStore,
  type TrunklineConfigInput,
  TrunklineError,
} from "@trunkline/core";
import { createLaneSlots, type LaneCaps } from "./dispatch/lane-slots.ts";
import { createWorker } from "./dispatch/worker.ts";
import type { Engine, RunnerSet } from "./engine.ts";
import { createEventBus } from "./events/event-bus.ts";
import type { FaultPoint } from "./fault-points.ts";
import { newId } from "./identifiers.ts";
import { silentLogger } from "./silent-logger.ts";
import { systemClock } from "./system-clock.ts";
import type { Trunkline } from "./trunkline.ts";
import { trunklineOf } from "./trunkline-of.ts";

export interface TrunklineOptions {
  readonly store: SessionStore;
  /** One runner for everything, or `default` and one for each runtime or agent id. */
  readonly runners: Runner | RunnerSet;
  readonly deliverers: readonly Deliverer[];
  /** Input of `parseConfig`, which checks it strictly; also a parsed file of any origin. */
  readonly config: TrunklineConfigInput | Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly lanes?: LaneCaps;
  /** Carries runs to workers on any machine; default: each process claims from the store by itself. */
  readonly dispatcher?: Dispatcher;
  /** `false` refuses an old schema with `store_not_migrated` instead of bringing it up to date. */
  readonly migrate?: boolean;
}

/** Hooks of the crash tests. */
export interface EngineHooks {
  readonly faultPoint?: (name: FaultPoint) => void;
}

/** Opens an installation on a store: checks the configuration, migrates, starts nothing. */
export async function createTrunkline(options: TrunklineOptions): Promise<Trunkline> {
  return createEngine(options, {});
}

/** As `createTrunkline`, with the hooks of the crash tests. */
export async function createEngine(options: TrunklineOptions, hooks: EngineHooks): Promise<Trunkline> {
  const config = parseConfig(options.config);
  await prepareStore(options);
  const logger = options.logger ?? silentLogger;
  const state = { started: false };
  const engine: Engine = {
    store: options.store,
    config,
    runners: toSet(options.runners),
    deliverers: byChannel(options.deliverers),
    clock: options.clock ?? systemClock,
    usesSystemClock: options.clock === undefined,
    logger,
    events: createEventBus(logger),
    process: { id: newId() },
    lanes: createLaneSlots(options.lanes),
    dispatcher: options.dispatcher,
    ownHints: new WeakSet(),
    live: new Map(),
    isStarted: () => state.started,
    wake: (queued) => worker.wake(queued),
    faultPoint: hooks.faultPoint ?? (() => undefined),
  };
  const worker = createWorker(engine, state);
  return trunklineOf(engine, worker);
}

async function prepareStore({ store, migrate }: TrunklineOptions): Promise<void> {
  if (migrate !== false) return store.migrate();
  const { current, latest } = await store.schemaVersion();
  if (current >= latest) return;
  throw new TrunklineError("store_not_migrated", `the store has schema ${current}, this version needs ${latest}`, {
    fix: "Apply the migrations: npx trunkline migrate up",
  });
}

function toSet(runners: Runner | RunnerSet): RunnerSet {
  if (isRunner(runners)) return { default: runners };
  if (typeof runners.default?.run === "function") return runners;
  throw new TrunklineError("invalid_config", "runners has no default runner", {
    path: "runners",
    fix: "Pass one runner, or { default: runner, … } with others by runtime or agent id.",
  });
}

function isRunner(runners: Runner | RunnerSet): runners is Runner {
  return typeof runners.run === "function";
}

function byChannel(deliverers: readonly Deliverer[]): ReadonlyMap<string, Deliverer> {
  const map = new Map<string, Deliverer>();
  for (const deliverer of deliverers) {
    if (map.has(deliverer.channel)) {
      throw new TrunklineError("invalid_config", `two deliverers for channel "${deliverer.channel}"`, {
        path: "deliverers",
        fix: "Pass one deliverer for each channel.",
      });
    }
    map.set(deliverer.channel, deliverer);
  }
  return map;
}
