import { TrunklineError } from "@trunkline/core";
import { expect, test } from "vitest";
import { databaseFile, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { racingStore } from "../racing-store.ts";

const main = "agent:a:main";

test("a run's end is committed as soon as the store is there again; its runner is not called again", async () => {
  const store = await databaseFile().open();
  let away = false;
  const flaky = racingStore(store, () => {
    if (away) throw new TrunklineError("store_unavailable", "away", { retryable: true });
  });
  const harness = await openHarness({
    store: flaky,
    script: {
      default: () => {
        away = true;
        return "kept";
      },
    },
  });
  const { runId } = await harness.human(main, "hello");
  await harness.advance(3_000);
  expect((await harness.run(runId)).state).toBe("running");
  away = false;
  await harness.advance(6_000);
  await harness.settle();
  expect((await harness.run(runId)).state).toBe("ok");
  expect(harness.runner.requests).toHaveLength(1);
  expect(await harness.transcript(main)).toEqual(["user: hello", "assistant: kept"]);
});

test("a run that was claimed just when the store went away is started when it is there again", async () => {
  const store = await databaseFile().open();
  let away = false;
  const flaky = racingStore(store, () => {
    if (away) throw new TrunklineError("store_unavailable", "away", { retryable: true });
  });
  const harness = await openHarness({
    store: flaky,
    script: { default: "there" },
    hooks: {
      faultPoint: (name) => {
        if (name === "claim.after-commit") away = true;
      },
    },
  });
  const { runId } = await harness.human(main, "hello");
  await harness.advance(2_000);
  expect(harness.runner.requests).toHaveLength(0);
  away = false;
  await harness.advance(10_000);
  await harness.settle();
  expect((await harness.run(runId)).state).toBe("ok");
  expect(harness.runner.requests).toHaveLength(1);
});

test("an answer that no store takes ends the run as failed, and the next one runs", async () => {
  const harness = await openHarness({
    script: { default: ({ prompt }) => (prompt === "long" ? "x".repeat(17 * 2 ** 20) : "short") },
  });
  const { runId } = await harness.human(main, "long");
  await harness.settle();
  const waited = await harness.trunkline.waitForRun(runId, { timeoutMs: 0 });
  expect(waited).toMatchObject({ status: "error", code: "run_failed", error: expect.stringContaining("too large") });
  await harness.human(main, "next");
  await harness.settle();
  expect(await harness.transcript(main)).toEqual(["user: long", "user: next", "assistant: short"]);
  expect(await findViolations(harness.store)).toEqual([]);
});
