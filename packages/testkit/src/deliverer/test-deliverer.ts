import { needVitest } from "../vitest.ts";
import { failingCases } from "./cases/failing.ts";
import { sendingCases } from "./cases/sending.ts";
import type { DelivererCase, DelivererSuiteOptions } from "./deliverer-case.ts";
import { runDelivererCase } from "./run-deliverer-case.ts";

/** Every rule of `Deliverer` as a case; run one with `runDelivererCase`, all of them with `testDeliverer`. */
export const delivererCases: readonly DelivererCase[] = [...sendingCases, ...failingCases];

/**
 * Registers the deliverer conformance suite with vitest. A case that the deliverer's capabilities switch off is reported
 * as skipped, with the capability that was not declared.
 */
export function testDeliverer(options: DelivererSuiteOptions): void {
  const { describe, test } = needVitest("testDeliverer");
  describe(`deliverer conformance: ${options.name}`, () => {
    for (const one of delivererCases)
      test(one.name, { timeout: 30_000 }, async (context) => {
        const result = await runDelivererCase(one, options);
        if (result !== "passed") context.skip(`not asked: ${result.notAsked} is not declared`);
      });
  });
}
