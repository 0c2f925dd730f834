import { expect, test } from "vitest";
import { keepBestPoints, keepShort, nameOrdinals, readOrdinals } from "../src/demo/agents/choose-points.ts";
import { composePoints, type Draft, formatAnswer, formatDraft, parseDraft } from "../src/demo/agents/draft.ts";
import { formatQuestion, parseQuestion } from "../src/demo/agents/question.ts";
import { formatReport, parseReports } from "../src/demo/agents/reader-report.ts";
import { formatTask, parseTask } from "../src/demo/agents/reader-task.ts";
import { countWords } from "../src/documents/count-words.ts";

const words = (count: number, word: string) => `${Array.from({ length: count }, () => word).join(" ")}.`;
const draft: Draft = {
  wordLimit: 60,
  points: [
    { text: words(30, "alpha"), source: "a.md:1" },
    { text: words(40, "beta"), source: "b.md:2" },
    { text: words(25, "gamma"), source: "c.md:3" },
  ],
  notes: ["d.md was not read: its reader was interrupted."],
};

test("a report is read back from the completion entry that carries it, and a later one replaces an earlier", () => {
  const report = {
    document: "guides/stores.md",
    sentences: 41,
    kept: [
      { line: 12, score: 27, text: "A crash loses nothing." },
      { line: 40, score: 9, text: "See (above): it holds." },
    ],
  };
  const empty = { document: "empty.md", sentences: 1, kept: [] };
  const entry = (text: string) =>
    `Status: success\nResult: ${text}\nNotes:\n- (none)\nStats: runtime 3ms · sessionKey agent:main:subagent:x`;
  const text = [entry(formatReport({ ...report, kept: [] })), entry(formatReport(report)), entry(formatReport(empty))];
  expect(parseReports(text.join("\n\n"))).toEqual([report, empty]);
  expect(parseReports("nothing to see: 4 sentences")).toEqual([]);
});

test("a task carries all that a reader needs", () => {
  const task = { document: "stores.md", file: "docs/stores.md", question: "What is lost?" };
  expect(parseTask(`[Subagent Task]\n${formatTask(task)}`)).toEqual(task);
  expect(parseTask("hello")).toBeUndefined();
});

test("a question is read back behind notices, and as asked again", () => {
  expect(parseQuestion("A notice.\n\nWhat is lost?")).toEqual({ question: "What is lost?", again: false });
  const again = { question: "What is lost?", again: true };
  expect(parseQuestion(formatQuestion(again))).toEqual(again);
});

test("the best sentences are taken, each once and at most two of one document", () => {
  const kept = [9, 8, 7].map((score, index) => ({ score, line: index + 1, text: `Sentence ${score}.` }));
  const points = composePoints([
    { document: "a.md", sentences: 3, kept },
    {
      document: "b.md",
      sentences: 3,
      kept: [
        { score: 8, line: 5, text: "Another 8." },
        { score: 9, line: 6, text: "sentence 9." },
      ],
    },
  ]);
  expect(points.map(({ source }) => source)).toEqual(["a.md:1", "a.md:2", "b.md:5"]);
});

test("a draft is read back from the message that carries it", () => {
  expect(parseDraft(`[Inter-session message sourceSession=x]\n\n${formatDraft(draft)}`)).toEqual(draft);
  expect(parseDraft("Shorten this.")).toBeUndefined();
});

test("the editor cuts the longest point, the coordinator keeps the best, and both stay within the limit", () => {
  expect(keepShort(draft)).toEqual([0, 2]);
  expect(keepBestPoints(draft)).toEqual([0, 2]);
  const long = { ...draft, points: [{ text: words(55, "long"), source: "l.md:1" }, ...draft.points] };
  expect(keepShort(long)).toEqual([1, 3]);
  expect(keepBestPoints(long)).toEqual([0]);
});

test("a decision names points by ordinals", () => {
  expect(nameOrdinals([0, 2])).toBe("the first and third");
  expect(nameOrdinals([1])).toBe("the second");
  expect(readOrdinals("No, keep the first, third and fourth.")).toEqual([0, 2, 3]);
  expect(readOrdinals("Yes, keep all of it.")).toBeUndefined();
});

test("the answer keeps the sources and the remarks, and cuts a single point that is too long", () => {
  expect(formatAnswer(draft, [0, 2])).toBe(
    `${words(30, "alpha")} (a.md:1) ${words(25, "gamma")} (c.md:3) d.md was not read: its reader was interrupted.`,
  );
  const single = { wordLimit: 60, points: [{ text: words(90, "long"), source: "l.md:1" }], notes: [] };
  expect(countWords(formatAnswer(single, [0]))).toBe(62);
  expect(formatAnswer({ wordLimit: 60, points: [], notes: [] }, [])).toBe("The documents say nothing about it.");
});
