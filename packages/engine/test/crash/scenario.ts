import type { Deliverer, RunRequest, RunResult, TrunklineConfigInput } from "@trunkline/core";
import type { TrunklineEvent } from "../../src/events/trunkline-event.ts";
import type { Trunkline } from "../../src/index.ts";

/** What the outside does in a scenario; a process that comes after a crash does all of it again, with the same keys. */
export interface Outside {
  readonly trunkline: Trunkline;
  /** Notes that a message, a send or a spawn was admitted, under a name of its own. */
  admitted(name: string, runId: string): void;
  /** Waits until an event has been seen by this process; `false` when nothing is going on any more. */
  seen(matches: (event: TrunklineEvent) => boolean): Promise<boolean>;
}

export type Play = (request: RunRequest, reach: (point: string) => void) => Promise<RunResult> | RunResult;

/** One story that is cut off at every boundary that it passes. */
export interface Scenario {
  readonly config?: TrunklineConfigInput;
  readonly steers?: boolean;
  readonly channel?: Partial<Deliverer["capabilities"]>;
  begin(outside: Outside): Promise<void>;
  readonly play: Play;
  /** Human messages that have to be in their session's transcript exactly once, however often the outside repeats itself. */
  readonly messages: readonly { readonly sessionKey: string; readonly text: string }[];
}

/** Calls a run's tool as its model would. */
export async function useTool(request: RunRequest, name: string, args: unknown): Promise<unknown> {
  const tool = request.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`the run has no tool ${name}`);
  return tool.call(args);
}
