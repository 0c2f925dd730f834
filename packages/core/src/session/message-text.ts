import type { MessageContent } from "./message.ts";

/** The text of a message's content, its text blocks joined by line feeds; other blocks have none. */
export function textOf(content: MessageContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
