/** One block of a message's content. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string; readonly signature?: string }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string };

export type MessageContent = string | readonly ContentBlock[];

export type MessageRole = "user" | "assistant" | "toolResult" | "system";

/** Where a message came from; stored beside the bare text and never mixed into it. */
export interface Provenance {
  readonly kind:
    | "human"
    | "channel"
    | "cron"
    | "hook"
    | "node"
    | "operator"
    | "inter_session"
    | "subagent_task"
    | "subagent_completion"
    | "resume"
    | "notice"
    | "interrupted"
    | "delivery_failed"
    | "compaction";
  readonly sourceSessionKey?: string;
  readonly sourceTool?: string;
  readonly sourceChannel?: string;
  readonly senderId?: string;
  readonly chainId?: string;
  readonly hop?: number;
  /** The child run that a completion entry belongs to. */
  readonly runId?: string;
  /** What the entry stands for where the kind alone does not say it, e.g. `turn`, `announce`, `error`. */
  readonly detail?: string;
}

/** A message that a runner adds; the engine gives it its sequence number. */
export interface NewMessage {
  readonly role: "assistant" | "toolResult";
  readonly content: MessageContent;
  readonly toolCallId?: string;
  readonly isError?: boolean;
}

/** A message as stored: raw, ordered by `seq` inside its session, never by time. */
export interface StoredMessage {
  readonly seq: number;
  readonly id: string;
  readonly role: MessageRole;
  readonly content: MessageContent;
  readonly timestamp: number;
  readonly provenance?: Provenance;
  readonly runId?: string;
  readonly toolCallId?: string;
  readonly isError?: boolean;
  /** True while the message waits, committed, for the turn that will take it in. */
  readonly pending?: true;
  /** The stored body could not be decoded; `content` is then empty. */
  readonly unreadable?: true;
}
