import type { TreeNode } from "../timeline/session-tree.ts";

/** One session in the summary's JSON. */
export interface SessionSummary {
  readonly sessionKey: string;
  readonly label?: string;
  readonly state: string;
  readonly runs: number;
  readonly messages: number;
}

/** How a demo run ended. */
export interface DemoSummary {
  readonly ok: boolean;
  readonly run: number;
  readonly answer?: string;
  readonly sessions: readonly SessionSummary[];
  /** Completion entries found exactly once in the coordinator's transcript. */
  readonly completions: number;
  readonly readers: number;
  readonly delivered: number;
  readonly pending: number;
  readonly durationMs: number;
  readonly tree: readonly TreeNode[];
}
