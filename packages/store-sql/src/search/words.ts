import { foldText } from "./fold-text.ts";
import { spaceWords } from "./message-text.ts";

/** A longer word is searched by its beginning, in texts and in queries alike. */
export const maxWordLength = 64;

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * The words of a text, in order, in the form in which they are compared: runs of letters, marks and digits, in lower
 * case and normal form C. Every database finds the same messages because all of them are given these words.
 */
export function wordsOf(text: string): readonly string[] {
  const words = spaceWords(foldText(text.normalize("NFC"))).match(wordPattern) ?? [];
  return words.map((word) => (word.length > maxWordLength ? word.slice(0, maxWordLength).toWellFormed() : word));
}
