import type { NewMessageRow, Outcome, Usage } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { TransactionDraft } from "../transaction-draft.ts";
import type { ClosingRows } from "./read-closing.ts";

/** How a run ended, before anyone asks what follows from it. */
export interface Ending {
  readonly state: "ok" | "error" | "timeout" | "cancelled" | "interrupted";
  /** The run's text as the runner gave it; `null` when there is none. */
  readonly text: string | null;
  /** Rows to append, not yet stored. */
  readonly rows: readonly NewMessageRow[];
  readonly usage?: Usage;
  readonly model?: string;
  readonly code?: "run_failed" | "run_timeout" | "run_cancelled" | "run_interrupted" | "recovery_exhausted";
  readonly error?: string;
}

/** One run's ending on its way into one transaction; each follow-up adds its writes to `draft`. */
export interface Closing extends ClosingRows {
  readonly engine: Engine;
  readonly draft: TransactionDraft;
  readonly now: number;
  readonly ending: Ending;
  readonly outcome: Outcome;
  /** The run asked to yield and its runner came back in peace. */
  readonly yielded: boolean;
  /** What the run said; `null` for silence, a skip word, a failure, or a yield. */
  readonly spoken: string | null;
}
