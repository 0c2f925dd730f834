import { needVitest } from "../vitest.ts";
import { isAsked, runStoreCase } from "./run-store-case.ts";
import { sessionStoreCases } from "./session-store-cases.ts";
import type { StoreSuiteOptions } from "./store-case.ts";

/**
 * Registers the store conformance suite with vitest: one call is a store author's whole test file. Each case gets an empty
 * database from `harness`; a case whose capability is not declared is skipped.
 */
export function testSessionStore(options: StoreSuiteOptions): void {
  const { describe, test } = needVitest("testSessionStore");
  const subjects = new Set(sessionStoreCases.map((one) => one.subject));
  describe(`session store conformance: ${options.name}`, () => {
    for (const subject of subjects)
      describe(subject, () => {
        for (const one of sessionStoreCases.filter((entry) => entry.subject === subject)) {
          const timeout = ((one.timeoutMs ?? 20_000) + 10_000) * (options.timeScale ?? 1);
          test.skipIf(!isAsked(one, options))(one.name, { timeout }, () => runStoreCase(one, options));
        }
      });
  });
}
