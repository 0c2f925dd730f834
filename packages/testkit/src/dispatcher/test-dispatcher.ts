import type { Dispatcher } from "@trunkline/core";
import { needVitest } from "../vitest.ts";
import type { DispatcherCase, DispatcherNeed, DispatcherSuiteOptions } from "./dispatcher-case.ts";
import { dispatcherCases } from "./dispatcher-cases.ts";

/** Registers the dispatcher conformance suite with vitest; a case that the harness cannot play is reported as skipped. */
export function testDispatcher(options: DispatcherSuiteOptions): void {
  const { describe, test } = needVitest("testDispatcher");
  describe(`dispatcher conformance: ${options.name}`, () => {
    for (const one of dispatcherCases)
      test(one.name, { timeout: 60_000 }, async (context) => {
        const result = await runDispatcherCase(one, options);
        if (result !== "passed") context.skip(`not asked: the harness has no ${result.notAsked}`);
      });
  });
}

/** Runs one case on a fresh place. Resolves to what the case needs and the harness does not have. */
export async function runDispatcherCase(
  one: DispatcherCase,
  options: DispatcherSuiteOptions,
): Promise<"passed" | { readonly notAsked: DispatcherNeed }> {
  const harness = await options.harness();
  const opened: Dispatcher[] = [];
  try {
    if (one.requires && harness[one.requires] === undefined) return { notAsked: one.requires };
    await one.run({
      harness,
      async open() {
        const dispatcher = await harness.open();
        opened.push(dispatcher);
        return dispatcher;
      },
    });
    return "passed";
  } finally {
    await Promise.all(opened.map((dispatcher) => dispatcher.stop()));
    await harness.dispose?.();
  }
}
