import { describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/view/redact/redact-secrets.ts";
import { sanitizeAssistantText } from "../../src/view/sanitize/sanitize-assistant-text.ts";
import { type HostileShape, markupShapes, secretShapes } from "./hostile-shapes.ts";

const small = 64 * 1024;
const medium = 256 * 1024;
const large = 1024 * 1024;

/**
 * Four times the text may take up to this many times as long. Beside other work a large text finds less of the caches than a
 * small one and takes up to six times as long; what is done for each pair of characters takes sixteen.
 */
const maxGrowth = 8;
/** Below these a measurement is noise. */
const floorMs: Readonly<Record<number, number>> = { [small]: 5, [medium]: 16 };
/** Ten times what a quiet machine is to need for 1 MiB. */
const blowUpMs = 1500;
const maxTries = 6;

describe("sanitising takes time in proportion to the text", () => {
  test.each(Object.entries(markupShapes))("%s", (_name, shape) => {
    expectLinear(shape, sanitizeAssistantText);
  });
});

describe("redacting takes time in proportion to the text", () => {
  test.each(Object.entries(secretShapes))("%s", (_name, shape) => {
    expectLinear(shape, (text) => redactSecrets(text).text);
  });
});

/** Measures the three sizes; a growth that is too large is measured again, as other work on the machine only adds time. */
function expectLinear(shape: HostileShape, read: (text: string) => string): void {
  const texts = [small, medium, large].map((size) => [size, flat(shape(size))] as const);
  const bestMs = new Map<number, number>();
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    for (const [size, text] of texts) {
      bestMs.set(size, Math.min(bestMs.get(size) ?? Number.POSITIVE_INFINITY, measure(text, read)));
    }
    if (growth(bestMs, small, medium) <= maxGrowth && growth(bestMs, medium, large) <= maxGrowth) break;
  }
  expect(growth(bestMs, small, medium)).toBeLessThanOrEqual(maxGrowth);
  expect(growth(bestMs, medium, large)).toBeLessThanOrEqual(maxGrowth);
  expect(bestMs.get(large)).toBeLessThan(blowUpMs);
}

function growth(bestMs: ReadonlyMap<number, number>, from: number, to: number): number {
  return (bestMs.get(to) ?? 0) / Math.max(bestMs.get(from) ?? 0, floorMs[from] ?? 0);
}

/** The time that this thread computed for, whatever else the machine did meanwhile. */
function measure(text: string, read: (text: string) => string): number {
  const before = process.threadCpuUsage();
  read(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The same text in one piece, so that putting it together is not measured. */
function flat(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
