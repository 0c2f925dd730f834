import { describe, expect, test } from "vitest";
import { faultPoints } from "../../src/fault-points.ts";
import { testStore } from "../stores/test-databases.ts";
import { boundariesOf } from "./boundaries.ts";
import { expectRecovered, expectSound } from "./expect-recovered.ts";
import { type CrashResult, runCase } from "./run-case.ts";
import type { Scenario } from "./scenario.ts";
import { type ScenarioName, scenarios } from "./scenarios.ts";
import { storyChecks } from "./story-checks.ts";

const timeout = 120_000;
const names = Object.keys(boundariesOf) as ScenarioName[];
const matrix = process.env["TRUNKLINE_CRASH_MATRIX"] ?? (testStore === "sqlite" ? "usual" : "short");

/** Every boundary of a story; in the short matrix those that no story before it has. */
function cutsOf(name: ScenarioName): readonly string[] {
  if (matrix !== "short") return boundariesOf[name];
  const before = new Set(names.slice(0, names.indexOf(name)).flatMap((earlier) => boundariesOf[earlier]));
  return boundariesOf[name].filter((point) => !before.has(point));
}

describe.each(names)("%s", (name) => {
  const scenario: Scenario = scenarios[name];
  const whole = runOnce(() => runCase({ scenario: name, successors: 0 }));

  test("comes to its end when nothing is killed", { timeout }, async () => {
    const result = await whole();
    expectSound(scenario, result);
    storyChecks[name]?.(result.after, result.log);
  });

  test.concurrent.for(cutsOf(name))("goes on after a crash at %s", { timeout }, async (point) => {
    const passed = hitsOf(await whole())[point] ?? 0;
    expect(passed, `${name} does not come to ${point}`).toBeGreaterThan(0);
    for (const { hit, successors } of casesOf(passed)) {
      const result = await oneOfFew(() => runCase({ scenario: name, killAt: { point, hit }, successors }));
      expectSound(scenario, result);
      expectRecovered(scenario, result);
      storyChecks[name]?.(result.after, result.log);
    }
  });
});

/**
 * The first time with one process after the crash, the last time with two at once; every time with both, or only the last
 * time, if asked for.
 */
function casesOf(passed: number): readonly { readonly hit: number; readonly successors: 1 | 2 }[] {
  if (matrix === "short") return [{ hit: passed, successors: 2 }];
  if (matrix !== "full") {
    return [
      { hit: 1, successors: 1 },
      { hit: passed, successors: 2 },
    ];
  }
  const hits = Array.from({ length: passed }, (_, index) => index + 1);
  return hits.flatMap((hit) => [{ hit, successors: 1 } as const, { hit, successors: 2 } as const]);
}

test("every boundary that the engine names is among them", () => {
  const tested = new Set(Object.values(boundariesOf).flat());
  expect(faultPoints.filter((point) => !tested.has(point))).toEqual([]);
});

function hitsOf({ log }: CrashResult): { readonly [point: string]: number } {
  const hits: { [point: string]: number } = {};
  for (const entry of log) if (entry.what === "hit") hits[entry.point] = (hits[entry.point] ?? 0) + 1;
  return hits;
}

function runOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

const atOnce = testStore === "sqlite" ? 3 : 2;
let going = 0;
const waiting: (() => void)[] = [];

/** Keeps the number of cases that run side by side small: each is up to three processes. */
async function oneOfFew<T>(work: () => Promise<T>): Promise<T> {
  if (going >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  going++;
  try {
    return await work();
  } finally {
    going--;
    waiting.shift()?.();
  }
}
