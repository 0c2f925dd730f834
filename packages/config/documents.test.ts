import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("docs/errors.md", () => {
  const [, results = "", thrown = ""] = read("docs/errors.md").split(/^## /m);
  const rows = (section: string) => [...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);

  test("has a row for each code of a result, and no other", () => {
    const list = read("packages/core/src/tools/result-codes.ts").match(/resultCodes = \[([^\]]+)\]/)?.[1] ?? "";
    expect(rows(results)).toEqual(quotedWords(list));
  });

  test("has a row for each code that is thrown, and no other", () => {
    const union = read("packages/core/src/errors/trunkline-error.ts").match(/TrunklineErrorCode =([^;]+);/)?.[1] ?? "";
    expect(rows(thrown)).toEqual(quotedWords(union));
  });
});

function quotedWords(text: string): readonly string[] {
  const words = [...text.matchAll(/"(\w+)"/g)].map((match) => match[1] ?? "");
  expect(words.length).toBeGreaterThan(5);
  return words;
}
