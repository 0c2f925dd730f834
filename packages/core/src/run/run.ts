/** Why a run exists. */
export type RunKind =
  | "inbound"
  | "send"
  | "turn"
  | "flow_announce"
  | "child"
  | "child_announce"
  | "resume"
  | "continuation";

export type RunLane = "main" | "nested" | "subagent";

/** `queued → claimed → running → ended`; `merged` runs live on in `successorId`, as do `yielded` ones. */
export type RunState =
  | "queued"
  | "claimed"
  | "running"
  | "ok"
  | "error"
  | "timeout"
  | "cancelled"
  | "interrupted"
  | "yielded"
  | "merged";

/** How a spawned child ended, told by the runtime and never by model text. */
export type Outcome = "success" | "error" | "timeout" | "cancelled" | "interrupted" | "unknown";

/** Token counts and cost of one run, as the runner reports them. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly costUsd?: number;
}
