import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countWords, firstWords } from "../src/documents/count-words.ts";
import { extractSentences } from "../src/documents/extract-sentences.ts";
import { findDocuments } from "../src/documents/find-documents.ts";
import { keepBest, keywords, scoreSentences } from "../src/documents/score-sentences.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trunkline-documents-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("text files are found below a folder, largest first, without hidden, installed or linked ones", async () => {
  await mkdir(join(folder, "guides"));
  await mkdir(join(folder, "node_modules"));
  await mkdir(join(folder, ".hidden"));
  await writeFile(join(folder, "small.md"), "small");
  await writeFile(join(folder, "also.md"), "small");
  await writeFile(join(folder, "empty.md"), "");
  await writeFile(join(folder, "picture.png"), "no text at all");
  await writeFile(join(folder, "guides", "large.TXT"), "a larger text");
  await writeFile(join(folder, "node_modules", "readme.md"), "not ours, and long");
  await writeFile(join(folder, ".hidden", "note.md"), "not to be read");
  await symlink(join(folder, "small.md"), join(folder, "link.md"));
  expect((await findDocuments(folder)).map(({ name }) => name)).toEqual(["guides/large.TXT", "also.md", "small.md"]);
});

test("sentences come from prose only, with the line they start on and without markup", () => {
  const source = [
    "# A heading is not a sentence at all.",
    "",
    "A **commit** is durable, see [the log](https://example.org/log). It holds the message",
    "and the run together, in one transaction.",
    "",
    "```ts",
    "const code = 'This line is code and never a sentence.';",
    "```",
    "- A list item is a sentence of its own here.",
    "- Too short.",
    "",
    "| a table | is not prose at all, whatever it says |",
    "",
    "    indented code is not prose either, at any length.",
    "> A quotation counts as prose, with `code` kept as words.",
  ].join("\n");
  expect(extractSentences(source)).toEqual([
    { text: "A commit is durable, see the log.", line: 3 },
    { text: "It holds the message and the run together, in one transaction.", line: 3 },
    { text: "A list item is a sentence of its own here.", line: 9 },
    { text: "A quotation counts as prose, with code kept as words.", line: 15 },
  ]);
});

test("an unclosed fence hides the rest, and an empty text has no sentence", () => {
  expect(extractSentences("```\nThis whole rest is code, whatever it says.\n")).toEqual([]);
  expect(extractSentences("")).toEqual([]);
});

test("words of one stem are one keyword and common words are none", () => {
  expect(keywords("What must never be lost in a crash?")).toEqual(["lost", "crash"]);
  expect(keywords("crashes crashed crashing stories story runs running store stored storing")).toEqual([
    ...["crash", "crash", "crash", "story", "story", "run", "run", "stor", "stor", "stor"],
  ]);
});

test("the sentence that answers is kept first, and one without a keyword is not kept", () => {
  const sentences = extractSentences(
    [
      "The weather of the north is mild in most of the years.",
      "A crash must not lose an accepted message.",
      "Every crash is followed by a new start of the process.",
    ].join("\n\n"),
  );
  const kept = keepBest(scoreSentences(sentences, "Which accepted message is lost in a crash?"), 5);
  expect(kept.map(({ line }) => line)).toEqual([3, 5]);
  expect(kept.map(({ score }) => score)).toEqual(kept.map(({ score }) => score).toSorted((a, b) => b - a));
});

test("scoring the same text twice gives the same result, and an empty one gives nothing", () => {
  const sentences = extractSentences("One crash is enough for everyone here. Two crashes are one too many.");
  expect(scoreSentences(sentences, "crash")).toEqual(scoreSentences(sentences, "crash"));
  expect(scoreSentences([], "crash")).toEqual([]);
});

test("a long line of markup characters is read in linear time", () => {
  const source = `${"[".repeat(50_000)}${"<a".repeat(50_000)}${"**".repeat(50_000)}`;
  const started = Date.now();
  extractSentences(source);
  expect(Date.now() - started).toBeLessThan(10_000);
});

test("a text is cut after so many words", () => {
  expect(countWords("  one two\nthree ")).toBe(3);
  expect(firstWords("one two three.", 3)).toBe("one two three.");
  expect(firstWords("one two, three", 2)).toBe("one two …");
});
