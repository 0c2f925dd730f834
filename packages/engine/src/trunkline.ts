import type {
  AccessAction,
  Caller,
  Decision,
  EffectiveTools,
  SessionRecord,
  ToolArguments,
  ToolDefinition,
  ToolHost,
  ToolName,
  ToolResult,
} from "@trunkline/core";
import type { EventSource } from "./events/event-bus.ts";
import type { Received, ReceivedMessage } from "./inbound/receive.ts";
import type { Submission } from "./inbound/submit.ts";
import type { SessionSettingsPatch } from "./sessions/patch-session.ts";

/** What `waitForRun` resolves to; `phase` tells where a run stands that goes on after the wait. */
export interface WaitResult {
  readonly status: "ok" | "error" | "timeout";
  readonly reply?: string;
  readonly error?: string;
  readonly code?: string;
  readonly phase?: "queued" | "running" | "yielded";
}

/** A running installation: the session tools, the ways in, and what an operator may do. */
export interface Trunkline extends ToolHost, AsyncDisposable {
  /** Starts workers, timers and the outbox of this process; safe to repeat. */
  start(): Promise<void>;
  /** Takes no new work, lets what runs come to its end (at most `drainMs`, default 3000), then settles the rest. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
  callTool<N extends ToolName>(caller: Caller, name: N, args: ToolArguments<N>): Promise<ToolResult<N>>;
  callTool(caller: Caller, name: string, args: unknown): Promise<unknown>;
  listTools(caller: Caller): Promise<readonly ToolDefinition<ToolName>[]>;
  /** The caller's effective tools and what removed the others, for people. */
  explainTools(caller: Caller): Promise<EffectiveTools>;
  /** A message from a channel. */
  receive(message: ReceivedMessage): Promise<Received>;
  /** A message from the host: an operator, a cron job, a hook, a node. */
  submit(submission: Submission): Promise<{ readonly runId: string; readonly sessionKey: string }>;
  /** Waits for a run's end, in any process, again and again if need be. */
  waitForRun(runId: string, options: { readonly timeoutMs: number }): Promise<WaitResult>;
  /** Resolves when nothing is queued or running and nothing is due at `clock.now()`; `timeoutMs` is real time. Rejects with what is still busy. */
  waitForIdle(options: { readonly timeoutMs: number }): Promise<void>;
  /** Cancels a run, or all that a session has going; children follow. Returns the runs that were cancelled. */
  abort(
    target: { readonly runId: string } | { readonly sessionKey: string },
  ): Promise<{ readonly aborted: readonly string[] }>;
  patchSession(key: string, patch: SessionSettingsPatch): Promise<SessionRecord>;
  resetSession(key: string): Promise<{ readonly sessionId: string }>;
  deleteSession(key: string): Promise<void>;
  /** Why a caller may or may not read, send to or change a target; throws for a target that does not exist. */
  explain(caller: Caller, action: AccessAction, target: string): Promise<Decision>;
  readonly events: EventSource;
  /** The store that it works on. */
  readonly store: import("@trunkline/core").SessionStore;
}
