import { expect, test } from "vitest";
import { createTurns } from "../src/commit/turns.ts";

function work(log: string[], name: string, fails = false) {
  return async () => {
    log.push(`${name} begins`);
    await new Promise(setImmediate);
    log.push(`${name} ends`);
    if (fails) throw new Error(name);
    return name;
  };
}

test("work on one thing is done in the order of asking, work on another does not wait", async () => {
  const turns = createTurns();
  const log: string[] = [];
  await Promise.all([
    turns.take(["s"], work(log, "first")),
    turns.take(["s"], work(log, "second")),
    turns.take(["t"], work(log, "other")),
  ]);
  expect(log.filter((line) => !line.startsWith("other"))).toEqual([
    "first begins",
    "first ends",
    "second begins",
    "second ends",
  ]);
  expect(log.indexOf("other begins")).toBeLessThan(log.indexOf("first ends"));
});

test("work on several things waits for all of them, in whatever order they are named", async () => {
  const turns = createTurns();
  const log: string[] = [];
  await Promise.all([
    turns.take(["s", "t"], work(log, "a")),
    turns.take(["t", "s"], work(log, "b")),
    turns.take(["s"], work(log, "c")),
  ]);
  expect(log).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("work that fails fails alone", async () => {
  const turns = createTurns();
  const log: string[] = [];
  const failing = turns.take(["s"], work(log, "a", true));
  const after = turns.take(["s"], work(log, "b"));
  await expect(failing).rejects.toThrow("a");
  expect(await after).toBe("b");
});
