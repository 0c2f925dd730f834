import type { MessageBody } from "@trunkline/core";

/** Characters of one message that are searched; the rest of a giant is not. */
export const maxSearchedLength = 128 * 1024;

// Scripts written without spaces: each character stands as a word of its own, so that a part of a sentence is found.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const unspacedRuns = new RegExp(unspaced.source, "gu");

/** What a text index holds of a message: its visible text, folded by `spaceWords`. */
export function messageText({ content }: MessageBody): string {
  if (typeof content === "string") return spaceWords(content.slice(0, maxSearchedLength));
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return spaceWords(texts.join("\n").slice(0, maxSearchedLength));
}

/** Puts spaces around characters of scripts that have none; applied to texts and to the words looked for. */
export function spaceWords(text: string): string {
  return unspaced.test(text) ? text.replace(unspacedRuns, " $& ") : text;
}
