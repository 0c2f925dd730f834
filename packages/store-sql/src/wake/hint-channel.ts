import type { WakeHint } from "@trunkline/core";
import type { HintListener } from "./hint-listeners.ts";

/** Carries hints to the handles of other processes at once; the feed makes up for those that it loses. */
export interface HintChannel {
  /** Tells the other handles about a commit that holds; never rejects and never waits. */
  send(hints: readonly WakeHint[]): void;
  /** Begins to deliver what other handles send. */
  listen(deliver: HintListener): void;
  close(): Promise<void>;
}
