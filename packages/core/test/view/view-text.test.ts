import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSkipWord } from "../../src/view/skip-word.ts";
import { truncateText, truncationMarker } from "../../src/view/truncate.ts";
import { channelText, crossingText, maxCrossingBytes, viewText } from "../../src/view/view-text.ts";

const key = `ghp_${"A1b2C3d4E5f6G7h8"}`;
const mask = "ghp_A1…G7h8";

describe("a title or preview", () => {
  test("is sanitised, redacted, trimmed and cut with an ellipsis inside its limit", () => {
    expect(viewText(`<think>x</think> Key ${key} and more of it`, 20)).toBe("Key ghp_A1…G7h8 and…");
    expect(viewText("Short", 20)).toBe("Short");
  });

  test("of a human's text keeps what only looks like markup", () => {
    expect(viewText(`What does <think> do? ${key}`, 60, { sanitize: false })).toBe(`What does <think> do? ${mask}`);
  });

  test("is well formed and within its limit wherever the cut falls", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.integer({ min: 1, max: 60 }), (text, limit) => {
        const shown = viewText(text, limit);
        expect(shown.length).toBeLessThanOrEqual(Math.max(limit, 1));
        if (text.isWellFormed()) expect(shown.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("a text that crosses to another session", () => {
  test("is sanitised and redacted, and stays whole up to 100 KiB", () => {
    expect(crossingText(`<think>x</think>Key ${key}`)).toBe(`Key ${mask}`);
    const whole = "a ".repeat(maxCrossingBytes / 2);
    expect(crossingText(whole)).toBe(whole);
  });

  test("is cut at 100 KiB of UTF-8, on a code point, and marked", () => {
    const cut = crossingText("é😀".repeat(40_000));
    expect(cut.endsWith(truncationMarker)).toBe(true);
    const kept = cut.slice(0, -truncationMarker.length);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(maxCrossingBytes);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(maxCrossingBytes - 6);
    expect(cut.isWellFormed()).toBe(true);
  });
});

test("a text for a channel is sanitised once and trimmed; its secrets are its own business", () => {
  expect(channelText(` <think>x</think>\nYes ${key}\n`)).toBe(`Yes ${key}`);
  expect(channelText("<think>only this</think>")).toBe("");
});

test.each([
  ["NO_REPLY", true],
  [" REPLY_SKIP\n", true],
  ["\tANNOUNCE_SKIP", true],
  ["no_reply", false],
  ["NO_REPLY.", false],
  ["NO_REPLY NO_REPLY", false],
  ["", false],
])("%j is a skip word: %s", (text, expected) => {
  expect(isSkipWord(text)).toBe(expected);
});

test("a cut never splits a surrogate pair", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(60), (text, limit) => {
      const { text: cut, truncated } = truncateText(text, limit);
      expect(truncated).toBe(text.length > limit);
      if (!truncated) expect(cut).toBe(text);
      else expect(cut.length).toBeLessThanOrEqual(limit + truncationMarker.length);
      if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
    }),
  );
});
