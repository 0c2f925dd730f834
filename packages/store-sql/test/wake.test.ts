import { describe, expect, test } from "vitest";
import { createFeedPosition } from "../src/wake/feed-position.ts";
import { createPushedHints } from "../src/wake/pushed-hints.ts";

describe("a reader of the feed", () => {
  test("looks again for numbers that were not there, until they come or ten seconds are over", () => {
    const position = createFeedPosition(10);
    position.advance([11, 14, 15], 0);
    expect([position.after, position.missing(0)]).toEqual([15, [12, 13]]);
    position.advance([12, 16], 5000);
    expect([position.after, position.missing(5000)]).toEqual([16, [13]]);
    expect(position.missing(10_001)).toEqual([]);
  });

  test("forgets old gaps when there are too many", () => {
    const position = createFeedPosition(0);
    position.advance([5000], 0);
    expect(position.missing(0)).toEqual(Array.from({ length: 1000 }, (_value, index) => 4000 + index));
    position.advance([5100], 0);
    const missing = position.missing(0);
    expect([missing.length, missing.at(-1)]).toEqual([1000, 5099]);
  });

  test("never goes back", () => {
    const position = createFeedPosition(7);
    position.advance([], 0);
    position.advance([3], 0);
    expect([position.after, position.missing(0)]).toEqual([7, []]);
  });
});

describe("hints that were pushed", () => {
  const hint = (id: string) => ({ about: "run" as const, id });

  test("are taken out of the feed as often as they were pushed", () => {
    const pushed = createPushedHints();
    pushed.note([hint("a"), hint("b"), hint("a")]);
    expect(pushed.missed([hint("a"), hint("a"), hint("a"), hint("c")])).toEqual([hint("a"), hint("c")]);
    expect(pushed.missed([hint("b")])).toEqual([]);
  });

  test("are forgotten after two readings, so that a later hint of the same thing is not swallowed", () => {
    const pushed = createPushedHints();
    pushed.note([hint("a")]);
    pushed.missed([]);
    pushed.missed([]);
    expect(pushed.missed([hint("a")])).toEqual([hint("a")]);
  });
});
