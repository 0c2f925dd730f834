import fc from "fast-check";
import { expect, test } from "vitest";
import { holdsTerms, wordsOf } from "../src/search/words.ts";

test("words are runs of letters, marks and digits, without case", () => {
  expect(wordsOf("Deploy FAILED on 2026-01-01, a_b c\\d it's 100%!")).toEqual(
    "deploy failed on 2026 01 01 a b c d it s 100".split(" "),
  );
  expect(wordsOf("Äpfel ПРИВЕТ ΔΕΛΤΑΣ")).toEqual(["äpfel", "привет", "δελτασ"]);
  expect(wordsOf(" \n -+*()\"' ")).toEqual([]);
});

test("an accent written in one or in two code points is the same, and no accent is another word", () => {
  expect(wordsOf("cafe\u0301")).toEqual(wordsOf("caf\u00e9"));
  expect(wordsOf("café")).not.toEqual(wordsOf("cafe"));
});

test("scripts without spaces are split into characters", () => {
  expect(wordsOf("東京タワーへ")).toEqual(["東", "京", "タ", "ワ", "ー", "へ"]);
  expect(wordsOf("v2東京")).toEqual(["v2", "東", "京"]);
});

test("a long word is compared by its beginning, which never ends in half a character", () => {
  expect(wordsOf("x".repeat(200))).toEqual(["x".repeat(64)]);
  const [word = ""] = wordsOf(`x${"𐐨".repeat(60)}`);
  expect([word.isWellFormed(), word.length]).toEqual([true, 63]);
});

test("a term of several words is found in one piece only", () => {
  const words = wordsOf("call a b now, then a and b");
  expect(holdsTerms(words, [["a", "b"]])).toBe(true);
  expect(holdsTerms(words, [["b", "a"]])).toBe(false);
  expect(holdsTerms(words, [["b", "now"], ["then"]])).toBe(true);
  expect(holdsTerms(words, [["b"], ["absent"]])).toBe(false);
  expect(holdsTerms([], [["a"]])).toBe(false);
});

test("every word of a text is found in it, and words hold no blank", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const words = wordsOf(text.toWellFormed());
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
      expect(
        holdsTerms(
          words,
          [words].filter((term) => term.length > 0),
        ),
      ).toBe(true);
      expect(wordsOf(words.join(" "))).toEqual(words);
    }),
  );
});
