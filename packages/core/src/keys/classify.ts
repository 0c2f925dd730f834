import type { SessionKind } from "../session/session.ts";
import { parseSessionKey } from "./session-key.ts";

/** The kinds of session, as `sessions_list` filters and shows them. */
export const sessionKinds = [
  "main",
  "group",
  "cron",
  "hook",
  "node",
  "other",
] as const satisfies readonly SessionKind[];

/** The kind of the session that a key names; `mainKey` is `session.mainKey`. Throws `TrunklineError` `invalid_key`. */
export function classifySession(key: string, options: { readonly mainKey?: string } = {}): SessionKind {
  const mainKey = (options.mainKey ?? "main").toLowerCase();
  const parsed = parseSessionKey(key);
  switch (parsed.shape) {
    case "main":
      return parsed.mainKey === mainKey || parsed.mainKey === "main" ? "main" : "other";
    case "group":
    case "channel":
      return "group";
    case "cron":
    case "hook":
    case "node":
      return parsed.shape;
    default:
      return "other";
  }
}
