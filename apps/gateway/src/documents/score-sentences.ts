import type { Sentence } from "./extract-sentences.ts";

/** A sentence with how well it fits the question; higher is better, 0 = not at all. */
export interface ScoredSentence extends Sentence {
  readonly score: number;
}

const commonWords = new Set(
  (
    "a about after all also an and any are as at be been being but by can could did do does each for from had has have " +
    "how if in into is it its may might more most must never no nor not of on only or other our out over own shall " +
    "should so some such than that the their them then there these they this those to too under until up very was we " +
    "were what when where which while who whom whose why will with would you your"
  ).split(" "),
);

/** The words of a text that carry meaning, folded so that `crashes`, `crashed` and `crash` are one. */
export function keywords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 1 && !commonWords.has(word)).map(stem);
}

/** Scores sentences against a question: each keyword counts more the rarer it is in the document; long sentences a little less. */
export function scoreSentences(sentences: readonly Sentence[], question: string): readonly ScoredSentence[] {
  const asked = [...new Set(keywords(question))];
  const words = sentences.map(({ text }) => new Set(keywords(text)));
  const weights = asked.map((keyword) => {
    const holding = words.filter((set) => set.has(keyword)).length;
    return { keyword, weight: holding === 0 ? 0 : 10 + Math.round(10 * (1 - holding / sentences.length)) };
  });
  return sentences.map((sentence, index) => {
    const hits = weights.filter(({ keyword }) => words[index]?.has(keyword));
    if (hits.length === 0) return { ...sentence, score: 0 };
    const matched = hits.reduce((sum, { weight }) => sum + weight, 0) + (hits.length - 1) * 5;
    return { ...sentence, score: Math.max(1, matched - Math.floor(sentence.text.length / 80)) };
  });
}

/** The best `count` sentences that fit at all, best first; equals keep the order of the document. */
export function keepBest(sentences: readonly ScoredSentence[], count: number): readonly ScoredSentence[] {
  return sentences
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score || left.line - right.line)
    .slice(0, count);
}

function stem(word: string): string {
  for (const ending of ["ings", "ing", "edly", "ies", "ed", "es", "s"]) {
    if (word.length >= ending.length + 3 && word.endsWith(ending)) {
      return ending === "ies" ? `${word.slice(0, -3)}y` : undouble(word.slice(0, -ending.length));
    }
  }
  return word.length > 3 ? word.replace(/e$/u, "") : word;
}

function undouble(word: string): string {
  const last = word.at(-1);
  const doubled = last !== undefined && last === word.at(-2) && !"aeiouls".includes(last);
  return doubled ? word.slice(0, -1) : word.replace(/e$/u, "");
}
