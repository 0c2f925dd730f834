import type { MessageBody } from "@trunkline/core";

/** Characters of one message that are searched; the rest of a giant is not. */
export const maxSearchedLength = 128 * 1024;

/** What a search looks at in a message: the beginning of its visible text. */
export function messageText({ content }: MessageBody): string {
  if (typeof content === "string") return content.slice(0, maxSearchedLength);
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts.join("\n").slice(0, maxSearchedLength);
}
