import { isUuid, type ParsedSessionKey, type ParseSessionKeyOptions, parseSessionKey } from "./session-key.ts";

/** What a `sessionKey` parameter can hold: an alias, a `sessionId`, or a key. Never a label. */
export type SessionReference =
  | { readonly type: "main" }
  | { readonly type: "current" }
  | { readonly type: "sessionId"; readonly sessionId: string }
  | { readonly type: "key"; readonly parsed: ParsedSessionKey };

/** Reads a `sessionKey` parameter; ids come back in lower case. Throws `TrunklineError` `invalid_key`. */
export function parseSessionReference(input: string, options: ParseSessionKeyOptions = {}): SessionReference {
  const text = input.trim();
  const folded = text.toLowerCase();
  if (folded === "main" || folded === "current") return { type: folded };
  if (isUuid(text)) return { type: "sessionId", sessionId: folded };
  return { type: "key", parsed: parseSessionKey(text, options) };
}
