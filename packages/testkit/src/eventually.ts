import { ok } from "node:assert/strict";

/** Waits for real time to pass. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `holds` is true, at most `limitMs`; `what` tells what did not happen. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string, limitMs = 5000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    ok(performance.now() < end, `${what}, but not within ${limitMs} ms`);
    await pause(5);
  }
}
