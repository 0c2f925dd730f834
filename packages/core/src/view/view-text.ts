import { redactSecrets } from "./redact/redact-secrets.ts";
import { sanitizeAssistantText } from "./sanitize/sanitize-assistant-text.ts";
import { codePointBoundary, truncationMarker } from "./truncate.ts";

/** The most UTF-8 bytes of a text that crosses from one session to another. */
export const maxCrossingBytes = 100 * 1024;

/** Whose text a title, preview or excerpt shows; only an assistant's is sanitised. */
export interface ViewTextOptions {
  /** Default `true`: the text is an assistant's. */
  readonly sanitize?: boolean;
}

/** A title, preview or excerpt: sanitised, redacted, on one line's worth of `maxUnits` UTF-16 units, a cut ending in `…`. */
export function viewText(text: string, maxUnits: number, { sanitize = true }: ViewTextOptions = {}): string {
  const redacted = redactSecrets(sanitize ? sanitizeAssistantText(text) : text).text.trim();
  if (redacted.length <= maxUnits) return redacted;
  return `${redacted.slice(0, codePointBoundary(redacted, Math.max(0, maxUnits - 1))).trimEnd()}…`;
}

/** A text that crosses from one session to another outside the reading tools: sanitised, redacted, over 100 KiB cut and marked. */
export function crossingText(text: string): string {
  return cutBytes(redactSecrets(sanitizeAssistantText(text)).text, maxCrossingBytes);
}

/** A text bound for a channel: sanitised and trimmed; empty when nothing of it is to be sent. */
export function channelText(text: string): string {
  return sanitizeAssistantText(text).trim();
}

function cutBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  for (let index = 0; index < text.length; ) {
    const point = text.codePointAt(index) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes > maxBytes) return text.slice(0, index) + truncationMarker;
    index += point > 0xffff ? 2 : 1;
  }
  return text;
}
