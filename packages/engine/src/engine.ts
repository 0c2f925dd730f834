import type {
  Clock,
  Deliverer,
  Dispatcher,
  Logger,
  Runner,
  RunRecord,
  SessionStore,
  TrunklineConfig,
  WakeHint,
} from "@trunkline/core";
import type { LaneSlots } from "./dispatch/lane-slots.ts";
import type { EventBus } from "./events/event-bus.ts";
import type { FaultPoint } from "./fault-points.ts";
import type { LiveRun } from "./runs/live-run.ts";

/** Runners by name: `default`, a runtime (`acp`) or an agent id. */
export interface RunnerSet {
  readonly default: Runner;
  readonly [runtimeOrAgentId: string]: Runner;
}

/** What every part of the engine works with; made once by `createEngine`. */
export interface Engine {
  readonly store: SessionStore;
  readonly config: TrunklineConfig;
  readonly runners: RunnerSet;
  readonly deliverers: ReadonlyMap<string, Deliverer>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventBus;
  /** This incarnation of this process, as runs and leases name it. */
  readonly process: { id: string };
  /** The clock is the system's own, not an injected one. */
  readonly usesSystemClock: boolean;
  readonly lanes: LaneSlots;
  /** An outside dispatcher; without one this process claims by itself. */
  readonly dispatcher: Dispatcher | undefined;
  /** Hints of this engine's own commits, which tell its worker nothing new; a store that copies them wakes it once more. */
  readonly ownHints: WeakSet<WakeHint>;
  /** Runs whose runner works in this process now. */
  readonly live: Map<string, LiveRun>;
  /** Whether this process executes runs; admission works either way. */
  isStarted(): boolean;
  /** Asks the dispatcher to look for work soon, and tells it of runs to claim; a hint, never needed for correctness. */
  wake(queued?: readonly RunRecord[]): void;
  /** Named boundary between two steps; the crash tests stop the process there. */
  faultPoint(name: FaultPoint): void;
}
