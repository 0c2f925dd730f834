import type { NewMessage, Runner, RunRequest, RunResult } from "@trunkline/core";
import type { FakeModel, ModelScript } from "./fake-model.ts";

/** What a case may choose of a request. */
export type RunOver = Partial<Omit<RunRequest, "run" | "session">>;

/** What a runner may lack; true unless set to false. */
export interface RunnerCapabilities {
  /** It calls the tools of the request. */
  readonly tools?: boolean;
  /** It gives the model the transcript and the system prompt of the request. */
  readonly transcript?: boolean;
  /** It reports token counts. */
  readonly usage?: boolean;
}

export interface RunnerSuiteOptions {
  /** Heads the report, e.g. `ai-sdk`. */
  readonly name: string;
  readonly capabilities?: RunnerCapabilities;
  /** A runner whose provider is a fake that answers with `model.answer(…)`. */
  create(model: FakeModel): Runner | Promise<Runner>;
}

/** One run made by a case: its result, what it emitted, and what the model was sent. */
export interface Ran {
  readonly result: RunResult;
  /** The run's text: `text`, else that of the last assistant message. */
  readonly text: string;
  /** The new messages, emitted ones first. */
  readonly messages: readonly NewMessage[];
  /** Texts shown live. */
  readonly shown: readonly string[];
  readonly inputs: readonly string[];
}

export interface RunnerBench {
  readonly options: RunnerSuiteOptions;
  /** Makes a runner on a model with this script, and runs one request. */
  run(script: ModelScript, over?: RunOver): Promise<Ran>;
  /** A runner on a model with this script. */
  runner(script: ModelScript): Promise<{ readonly runner: Runner; readonly model: FakeModel }>;
  request(over?: RunOver): RunRequest;
}

export type RunnerNeed = keyof RunnerCapabilities | "steers";

/** A rule of runners as data: `run` rejects where one breaks it. */
export interface RunnerCase {
  readonly name: string;
  readonly requires?: RunnerNeed;
  run(bench: RunnerBench): Promise<void>;
}
