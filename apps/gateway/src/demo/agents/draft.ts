import { countWords, firstWords } from "../../documents/count-words.ts";
import type { ReaderReport } from "./reader-report.ts";

/** One sentence of an answer and where it stands. */
export interface Point {
  readonly text: string;
  /** `stores.md:12`. */
  readonly source: string;
}

/** An answer before it is edited: the points, best first, and remarks that must stay. */
export interface Draft {
  readonly wordLimit: number;
  readonly points: readonly Point[];
  readonly notes: readonly string[];
}

const mostPoints = 5;
const mostOfOneDocument = 2;
const pointLine = /^\d+\. (.+) \(([^()]+:\d+)\)$/u;

/** Compares what the readers kept and takes the best sentences, each once and at most two of one document. */
export function composePoints(reports: readonly ReaderReport[]): readonly Point[] {
  const candidates = reports
    .flatMap(({ document, kept }) => kept.map((sentence) => ({ ...sentence, document })))
    .toSorted(
      (left, right) => right.score - left.score || compare(left.document, right.document) || left.line - right.line,
    );
  const texts = new Set<string>();
  const taken = new Map<string, number>();
  const points: Point[] = [];
  for (const { document, line, text } of candidates) {
    const ofDocument = taken.get(document) ?? 0;
    const folded = text.toLowerCase();
    if (points.length === mostPoints || texts.has(folded) || ofDocument === mostOfOneDocument) continue;
    texts.add(folded);
    taken.set(document, ofDocument + 1);
    points.push({ text, source: `${document}:${line}` });
  }
  return points;
}

/** The message that hands a draft to the editor. */
export function formatDraft({ wordLimit, points, notes }: Draft): string {
  return [
    `Shorten to ${wordLimit} words, keep sources.`,
    ...points.map(({ text, source }, index) => `${index + 1}. ${text} (${source})`),
    ...notes.map((note) => `Note: ${note}`),
  ].join("\n");
}

/** Reads a draft back; `undefined` where a text holds none. */
export function parseDraft(text: string): Draft | undefined {
  const wordLimit = /^Shorten to (\d+) words/mu.exec(text)?.[1];
  if (wordLimit === undefined) return undefined;
  const lines = text.split("\n");
  return {
    wordLimit: Number(wordLimit),
    points: lines.flatMap((line) => {
      const [, point, source] = pointLine.exec(line) ?? [];
      return point === undefined || source === undefined ? [] : [{ text: point, source }];
    }),
    notes: lines.flatMap((line) => /^Note: (.+)$/u.exec(line)?.[1] ?? []),
  };
}

/** Words of a draft's points. */
export function draftWords(points: readonly Point[]): number {
  return points.reduce((sum, { text }) => sum + countWords(text), 0);
}

/** The finished answer: the kept points in their order with their sources, within the limit, then the remarks. */
export function formatAnswer(draft: Draft, keep: readonly number[]): string {
  const kept = draft.points.filter((_, index) => keep.includes(index));
  const [first, ...others] = kept;
  const points =
    first !== undefined && others.length === 0 ? [{ ...first, text: firstWords(first.text, draft.wordLimit) }] : kept;
  const said = points.map(({ text, source }) => `${text} (${source})`);
  return [...(said.length === 0 ? ["The documents say nothing about it."] : said), ...draft.notes].join(" ");
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
