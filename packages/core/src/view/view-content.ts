import type { ContentBlock, MessageContent } from "../session/message.ts";
import { redactSecrets } from "./redact/redact-secrets.ts";
import { redactValue } from "./redact/redact-value.ts";
import { sanitizeAssistantText } from "./sanitize/sanitize-assistant-text.ts";
import { truncateText } from "./truncate.ts";
import type { ViewBlock } from "./view-message.ts";

/** What a message's content became, and what was done to it on the way. */
export interface ViewedContent {
  readonly content: string | ViewBlock[];
  /** A text was cut, or image data left out. */
  readonly truncated: boolean;
  readonly redacted: boolean;
}

interface ViewedText {
  readonly text: string;
  readonly truncated: boolean;
  readonly redacted: boolean;
}

/** One message's content as another session may read it; `isAssistant` says whether its text is sanitised. */
export function viewContent(content: MessageContent, isAssistant: boolean): ViewedContent {
  if (typeof content === "string") {
    const { text, ...flags } = viewOne(content, isAssistant);
    return { content: text, ...flags };
  }
  const blocks: ViewBlock[] = [];
  let truncated = false;
  let redacted = false;
  for (const part of partsOf(content)) {
    const viewed = typeof part === "object" && "texts" in part ? viewTexts(part.texts, isAssistant) : viewBlock(part);
    blocks.push(...viewed.blocks);
    truncated ||= viewed.truncated;
    redacted ||= viewed.redacted;
  }
  return { content: blocks, truncated, redacted };
}

/** Blocks without thinking; texts that then follow each other are kept together. */
function partsOf(content: readonly ContentBlock[]): readonly (ContentBlock | { readonly texts: string[] })[] {
  const parts: (ContentBlock | { texts: string[] })[] = [];
  for (const block of content) {
    if (block.type === "thinking") continue;
    const last = parts.at(-1);
    if (block.type !== "text") parts.push(block);
    else if (last !== undefined && "texts" in last) last.texts.push(block.text);
    else parts.push({ texts: [block.text] });
  }
  return parts;
}

interface ViewedBlocks {
  readonly blocks: readonly ViewBlock[];
  readonly truncated: boolean;
  readonly redacted: boolean;
}

/** Each text by itself; texts that only together hold a secret or markup become one. */
function viewTexts(texts: readonly string[], isAssistant: boolean): ViewedBlocks {
  const viewed = texts.map((text) => viewWhole(text, isAssistant));
  const joined = texts.length > 1 ? viewWhole(texts.join(""), isAssistant) : undefined;
  const isSame = joined === undefined || joined.text === viewed.map(({ text }) => text).join("");
  const shown = (isSame ? viewed : [joined]).map(({ text, redacted }) => ({ ...truncateText(text), redacted }));
  return {
    blocks: shown.map(({ text }) => ({ type: "text", text })),
    truncated: shown.some(({ truncated }) => truncated),
    redacted: shown.some(({ redacted }) => redacted),
  };
}

function viewBlock(block: ContentBlock | { readonly texts: string[] }): ViewedBlocks {
  if ("texts" in block || block.type === "text" || block.type === "thinking")
    return { blocks: [], truncated: false, redacted: false };
  if (block.type === "image") {
    return {
      blocks: [{ type: "image", omitted: true, bytes: decodedBytes(block.data) }],
      truncated: true,
      redacted: false,
    };
  }
  const { id, name } = block;
  const viewed = redactValue(block.arguments, { shorten: (text) => truncateText(text).text });
  const viewedName = viewOne(name, false);
  return {
    blocks: [{ type: "toolCall", id, name: viewedName.text, arguments: viewed.value }],
    truncated: viewed.cut || viewedName.truncated,
    redacted: viewed.redacted || viewedName.redacted,
  };
}

function viewOne(text: string, isAssistant: boolean): ViewedText {
  const { text: whole, redacted } = viewWhole(text, isAssistant);
  return { ...truncateText(whole), redacted };
}

function viewWhole(text: string, isAssistant: boolean): { text: string; redacted: boolean } {
  return redactSecrets(isAssistant ? sanitizeAssistantText(text) : text);
}

/** The size that base64 data has once it is decoded. */
function decodedBytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
