import { utf8ByteLength } from "../keys/compare-keys.ts";
import type { StoredMessage } from "../session/message.ts";
import { isSkipWord } from "./skip-word.ts";
import { viewContent } from "./view-content.ts";
import type { ViewMessage } from "./view-message.ts";

/** The most UTF-8 bytes of JSON that `sessions_history` returns as messages. */
export const maxHistoryBytes = 80 * 1024;

/** The most UTF-8 bytes of JSON that one row of `sessions_list` returns as messages. */
export const maxRowMessagesBytes = 16 * 1024;

/** The content that stands for a message which alone is over the limit. */
export const oversizedContent = "[sessions_history omitted: message too large]";

export interface HistoryViewOptions {
  /** Also show tool results; default false. */
  readonly includeTools?: boolean;
  /** The most UTF-8 bytes of JSON of all messages; default `maxHistoryBytes`. */
  readonly maxBytes?: number;
}

/** Messages as another session may read them, and what was done to them. */
export interface HistoryView {
  /** Oldest first. */
  readonly messages: ViewMessage[];
  /** An older message was dropped, or one was replaced, to keep within `maxBytes`. */
  readonly droppedMessages: boolean;
  /** A returned text was cut, or image data left out. */
  readonly contentTruncated: boolean;
  /** A returned text was redacted. */
  readonly contentRedacted: boolean;
  /** UTF-8 length of the JSON of `messages`. */
  readonly bytes: number;
}

interface Viewed {
  readonly message: ViewMessage;
  readonly truncated: boolean;
  readonly redacted: boolean;
}

/**
 * Stored messages, given oldest first, as another session may read them: tool results, thinking and image data left out,
 * assistant text sanitised, all text redacted and then cut, the oldest dropped until the JSON fits. Nothing stored changes.
 */
export function viewMessages(messages: readonly StoredMessage[], options: HistoryViewOptions = {}): HistoryView {
  const { includeTools = false, maxBytes = maxHistoryBytes } = options;
  const viewed = messages.flatMap((message) => {
    if (message.role === "toolResult" && !includeTools) return [];
    const one = viewMessage(message);
    return isSilence(one.message) ? [] : [one];
  });
  return fit(viewed, maxBytes);
}

function viewMessage(stored: StoredMessage): Viewed {
  const { seq, id, role, timestamp, provenance, runId, toolCallId, isError, pending, unreadable } = stored;
  const { content, truncated, redacted } = unreadable
    ? { content: "", truncated: false, redacted: false }
    : viewContent(stored.content, role === "assistant");
  const message: ViewMessage = {
    seq,
    id,
    role,
    content,
    timestamp,
    ...(provenance === undefined ? {} : { provenance }),
    ...(runId === undefined ? {} : { runId }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(isError === undefined ? {} : { isError }),
    ...(pending === undefined ? {} : { pending }),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
  return { message, truncated, redacted };
}

/** A reply that is exactly a skip word, whatever thinking came with it. */
function isSilence({ role, content }: ViewMessage): boolean {
  if (role !== "assistant") return false;
  if (typeof content === "string") return isSkipWord(content);
  const shown = content.filter((block) => block.type !== "text" || block.text.trim() !== "");
  const [only] = shown;
  return shown.length === 1 && only?.type === "text" && isSkipWord(only.text);
}

/** Drops the oldest until the JSON fits; the last one left is replaced where it alone is too large. */
function fit(viewed: readonly Viewed[], maxBytes: number): HistoryView {
  const sizes = viewed.map(({ message }) => utf8ByteLength(JSON.stringify(message)));
  let bytes = 2 + sizes.reduce((sum, size) => sum + size + 1, 0) - (sizes.length > 0 ? 1 : 0);
  let first = 0;
  while (bytes > maxBytes && first < viewed.length - 1) {
    bytes -= (sizes[first] ?? 0) + 1;
    first += 1;
  }
  const kept = viewed.slice(first);
  const [only] = kept;
  if (bytes > maxBytes && only !== undefined) {
    const messages = [withoutContent(only.message)];
    const size = utf8ByteLength(JSON.stringify(messages));
    return { messages, droppedMessages: true, contentTruncated: false, contentRedacted: false, bytes: size };
  }
  return {
    messages: kept.map(({ message }) => message),
    droppedMessages: first > 0,
    contentTruncated: kept.some(({ truncated }) => truncated),
    contentRedacted: kept.some(({ redacted }) => redacted),
    bytes,
  };
}

function withoutContent(message: ViewMessage): ViewMessage {
  return { ...message, content: oversizedContent };
}
