import type { Route, ToolInput, ToolResult } from "@trunkline/core";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";

/** Everything that was checked before a spawn is admitted. */
export interface SpawnOrder {
  readonly caller: ResolvedCaller;
  readonly input: ToolInput<"sessions_spawn">;
  readonly agentId: string;
  readonly sandboxed: boolean;
  readonly model: string | undefined;
  readonly thinking: string | undefined;
  readonly context: "isolated" | "fork";
  readonly note: string | undefined;
  readonly mode: "run" | "session";
  readonly runTimeoutSeconds: number;
  readonly boundRoute: Route | undefined;
  readonly idempotency: SpawnIdempotency | undefined;
}

export interface SpawnIdempotency {
  readonly scopeHash: string;
  readonly fingerprint: string;
}

/** The result of a spawn that was committed. */
export type AcceptedSpawn = Extract<ToolResult<"sessions_spawn">, { status: "accepted" }>;

/** The row ids of a child, chosen before the commit. */
export interface ChildIds {
  readonly child: string;
  readonly run: string;
  readonly spawn: string;
  /** The completion entry. */
  readonly entry: string;
  /** The task's message. */
  readonly message: string;
}
