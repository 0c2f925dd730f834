import type { Dispatcher } from "@trunkline/core";

export interface DispatcherSuiteOptions {
  /** Heads the report, e.g. `bullmq`. */
  readonly name: string;
  /** A fresh place that dispatchers share, for each case anew: one queue, one exchange. */
  harness(): DispatcherHarness | Promise<DispatcherHarness>;
}

export interface DispatcherHarness {
  /** A dispatcher on the shared place, as another process would open it. The suite stops it. */
  open(): Dispatcher | Promise<Dispatcher>;
  /** Opens a dispatcher in a process of its own that takes one offer and is then killed while it works on it. */
  readonly dieWhileTaking?: () => Promise<void>;
  /** Throws away all that waits in the shared place. */
  readonly wipe?: () => Promise<void>;
  readonly dispose?: () => Promise<void>;
}

export type DispatcherNeed = "dieWhileTaking" | "wipe";

/** A rule of dispatchers as data: `run` rejects where one breaks it. */
export interface DispatcherCase {
  readonly name: string;
  readonly requires?: DispatcherNeed;
  run(bench: DispatcherBench): Promise<void>;
}

/** What a case works with; every dispatcher that it opens is stopped when it ends. */
export interface DispatcherBench {
  readonly harness: DispatcherHarness;
  open(): Promise<Dispatcher>;
}
