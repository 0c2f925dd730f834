// Vitest is loaded when its own workers import the testkit, and only then: the suites register their cases at once,
// as `test` must be called, and the runner, deliverer and clock work where vitest is not installed.
const loaded = process.env["VITEST"] ? await import("vitest") : undefined;

/** Vitest's `describe` and `test`; throws where no vitest runs, naming the function that needs it. */
export function needVitest(suite: string): typeof import("vitest") {
  if (loaded) return loaded;
  throw new Error(`${suite} registers vitest cases: call it in a test file that vitest runs`);
}
