import type { ScoredSentence } from "../../documents/score-sentences.ts";
import { oneLine } from "../../terminal/printable.ts";

/** What a reader found in one document. */
export interface ReaderReport {
  readonly document: string;
  readonly sentences: number;
  readonly kept: readonly ScoredSentence[];
}

const headLine = /^(?:Result: )?(.+): (\d+) sentences?, (\d+) kept$/u;
const keptLine = /^- line (\d+), score (\d+): (.+)$/u;

/** The report as the reader says it: one line of counts, then one for each kept sentence. */
export function formatReport({ document, sentences, kept }: ReaderReport): string {
  const head = `${document}: ${sentences} ${sentences === 1 ? "sentence" : "sentences"}, ${kept.length} kept`;
  return [head, ...kept.map(({ line, score, text }) => `- line ${line}, score ${score}: ${oneLine(text)}`)].join("\n");
}

/** Every report in a text, also inside completion entries; of several on one document the last counts. */
export function parseReports(text: string): readonly ReaderReport[] {
  const reports = new Map<string, { document: string; sentences: number; kept: ScoredSentence[] }>();
  let current: { document: string; sentences: number; kept: ScoredSentence[] } | undefined;
  for (const line of text.split("\n")) {
    const [, document, sentences] = headLine.exec(line) ?? [];
    if (document !== undefined) {
      current = { document, sentences: Number(sentences), kept: [] };
      reports.set(document, current);
      continue;
    }
    const [, at, score, sentence] = keptLine.exec(line) ?? [];
    if (sentence === undefined) current = line.trim() === "" ? current : undefined;
    else current?.kept.push({ line: Number(at), score: Number(score), text: sentence });
  }
  return [...reports.values()];
}
