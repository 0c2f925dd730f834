import type { ZodType } from "zod";
import type { ContentBlock, NewMessage, Provenance } from "../session/message.ts";
import type { SessionKind } from "../session/session.ts";
import type { RunKind, Usage } from "./run.ts";

/** A tool as a run sees it; `call` never rejects: wrong arguments come back as `{status: "error", code: "invalid_input", …}`. */
export interface RunTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ZodType;
  call(args: unknown): Promise<unknown>;
}

/** A message of the transcript before this run's input, raw. */
export interface RunMessage {
  readonly seq: number;
  readonly id: string;
  readonly role: "user" | "assistant" | "toolResult" | "system";
  readonly content: string | readonly ContentBlock[];
  readonly timestamp: number;
  readonly provenance?: Provenance;
  readonly runId?: string;
  readonly toolCallId?: string;
  readonly isError?: boolean;
}

/**
 * What a runner reports while it works: text to show live, a finished message to store at once, or a summary that
 * stands for the transcript up to a sequence number from now on (nothing is removed).
 */
export type RunEmit =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "message"; readonly message: NewMessage }
  | { readonly type: "compacted"; readonly summary: string; readonly throughSeq: number };

export interface RunRequest {
  readonly run: {
    readonly id: string;
    readonly kind: RunKind;
    readonly attempt: number;
    readonly causeSessionKey?: string;
  };
  readonly session: {
    readonly key: string;
    readonly sessionId: string;
    readonly agentId: string;
    readonly kind: SessionKind;
    readonly channel: string;
    readonly label?: string;
    readonly spawnedBy?: string;
    readonly spawnDepth: number;
  };
  /** This run's input, marker and notices included; it is in no message. */
  readonly prompt: string;
  /** The transcript before this input, raw. */
  readonly messages: readonly RunMessage[];
  readonly systemPrompt: string;
  readonly model?: string;
  readonly thinking?: string;
  readonly tools: readonly RunTool[];
  /** Aborted with a reason of `yielded`, `timeout`, `cancelled` or `stopping`. */
  readonly signal: AbortSignal;
  emit(event: RunEmit): void;
  /** Present where the runner `steers`: texts that arrived mid-run, to be taken in between steps. */
  takeInput?(): Promise<readonly string[]>;
}

export interface RunResult {
  /** The run's text; absent → the text of the last assistant message. */
  readonly text?: string;
  /** The new assistant and tool messages; absent → one assistant message of `text`. */
  readonly messages?: readonly NewMessage[];
  readonly usage?: Usage;
  /** The model that really answered. */
  readonly model?: string;
}

/** Executes one agent turn. A throw ends the run as `error`; an `AbortError` after `signal` as the abort's reason says. */
export interface Runner {
  readonly id: string;
  run(request: RunRequest): Promise<RunResult>;
  /** The runner takes mid-run messages through `takeInput`. */
  readonly steers?: boolean;
  /** Decides which model names are known. */
  knowsModel?(model: string): boolean | Promise<boolean>;
}
