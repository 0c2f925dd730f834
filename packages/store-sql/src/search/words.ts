import { foldText } from "./fold-text.ts";

/** A longer word is compared by its beginning, in texts and in queries alike; in UTF-16 units. */
const maxWordLength = 64;

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

// Scripts written without spaces: each character stands as a word of its own, so that a part of a sentence is found.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const unspacedCharacters = new RegExp(unspaced.source, "gu");

/**
 * The words of a text in order, as they are compared: runs of letters, marks and digits, in lower case and in normal
 * form C. Every database is given these words and none splits text itself, so that all of them find the same.
 */
export function wordsOf(text: string): readonly string[] {
  const folded = foldText(text.normalize("NFC"));
  const spaced = unspaced.test(folded) ? folded.replace(unspacedCharacters, " $& ") : folded;
  return (spaced.match(wordPattern) ?? []).map(limited);
}

function limited(word: string): string {
  if (word.length <= maxWordLength) return word;
  const cut = word.slice(0, maxWordLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Whether the words hold all terms, each of them in one piece. */
export function holdsTerms(words: readonly string[], terms: readonly (readonly string[])[]): boolean {
  return terms.every((term) => words.some((_word, at) => term.every((part, index) => words[at + index] === part)));
}
