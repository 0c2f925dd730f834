import type { Outcome, RunKind, RunState } from "@trunkline/core";

/** What the engine tells about a change, after its commit. Fields beside the first four depend on the type. */
export interface TrunklineEvent {
  readonly type:
    | "run_queued"
    | "run_started"
    | "run_output"
    | "run_ended"
    | "session_created"
    | "session_changed"
    | "child_settled"
    | "delivery_changed"
    | "notice_opened";
  /** Milliseconds since the epoch, of the engine's clock. */
  readonly at: number;
  readonly sessionKey: string;
  readonly runId?: string;
  readonly agentId?: string;
  readonly label?: string;
  readonly kind?: RunKind;
  readonly state?: RunState;
  readonly outcome?: Outcome;
  readonly durationMs?: number;
  readonly text?: string;
  readonly error?: string;
  /** Where a reply-back exchange stands. */
  readonly flow?: { readonly id: string; readonly phase: string; readonly turn: number; readonly of: number };
  readonly parentSessionKey?: string;
  readonly delivery?: {
    readonly id: string;
    readonly state: string;
    readonly kind: string;
    readonly channel?: string;
    readonly parts: number;
    readonly reason?: string;
  };
  /** The session that a notice speaks of. */
  readonly targetSessionKey?: string;
}

export interface EventFilter {
  readonly types?: readonly TrunklineEvent["type"][];
  readonly sessionKey?: string;
  readonly runId?: string;
}
