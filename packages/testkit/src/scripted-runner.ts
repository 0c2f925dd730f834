import type { Runner, RunRequest, RunResult } from "@trunkline/core";

/** Plays the model: gets the run's request, answers with its text or a whole result; a throw fails the run. */
export type ScriptedHandler = (request: RunRequest) => string | RunResult | Promise<string | RunResult>;

export interface ScriptedRunnerOptions {
  /** Default `scripted`. */
  readonly id?: string;
  /** The handler takes mid-run messages through `request.takeInput`. */
  readonly steers?: boolean;
  /** Decides which model names are known; without it the configuration does. */
  readonly knowsModel?: (model: string) => boolean | Promise<boolean>;
}

export interface ScriptedRunner extends Runner {
  /** Every request so far, in the order in which the engine made them. */
  readonly requests: readonly RunRequest[];
}

/** A runner without a model: `handler` answers each run, and `requests` keeps what it was asked. */
export function createScriptedRunner(handler: ScriptedHandler, options: ScriptedRunnerOptions = {}): ScriptedRunner {
  const { id = "scripted", steers, knowsModel } = options;
  const requests: RunRequest[] = [];
  return {
    id,
    requests,
    ...(steers !== undefined && { steers }),
    ...(knowsModel && { knowsModel }),
    async run(request) {
      requests.push(request);
      const answer = await handler(request);
      return typeof answer === "string" ? { text: answer } : answer;
    },
  };
}
