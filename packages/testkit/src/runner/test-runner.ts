import { needVitest } from "../vitest.ts";
import { answeringCases } from "./cases/answering.ts";
import { stoppingCases } from "./cases/stopping.ts";
import { toolCases } from "./cases/tools.ts";
import { runRunnerCase } from "./run-runner-case.ts";
import type { RunnerCase, RunnerSuiteOptions } from "./runner-case.ts";

/** Every rule of `Runner` as a case; run one with `runRunnerCase`, all of them with `testRunner`. */
export const runnerCases: readonly RunnerCase[] = [...answeringCases, ...toolCases, ...stoppingCases];

/** Registers the runner conformance suite with vitest; a case whose capability is switched off is reported as skipped. */
export function testRunner(options: RunnerSuiteOptions): void {
  const { describe, test } = needVitest("testRunner");
  describe(`runner conformance: ${options.name}`, () => {
    for (const one of runnerCases)
      test(one.name, { timeout: 30_000 }, async (context) => {
        const result = await runRunnerCase(one, options);
        if (result !== "passed") context.skip(`not asked: ${result.notAsked} is not declared`);
      });
  });
}
