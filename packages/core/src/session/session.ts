export type SessionKind = "main" | "group" | "cron" | "hook" | "node" | "other";

/** Run state of a session as lists show it. */
export type SessionStatus = "idle" | "queued" | "running" | "yielded";

/** What a host says about who acts; never taken from a model or from a client's body. */
export interface Caller {
  readonly sessionKey: string;
  /** Defaults to the key's agent and must equal it. */
  readonly agentId?: string;
  /** A host may raise it, never lower it. */
  readonly sandboxed?: boolean;
  /** The live run on whose behalf the call is made. */
  readonly runId?: string;
}
