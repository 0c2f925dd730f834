import type { TrunklineConfig } from "../config/trunkline-config.ts";
import type { ChatType } from "../keys/key-parts.ts";
import { allow, type Decision, refuse } from "./decision.ts";

/** What the send policy looks at. */
export interface SendSubject {
  /** The session's own setting; `inherit` or absent leaves it to the configuration. */
  readonly override?: "allow" | "deny" | "inherit";
  readonly channel: string;
  readonly chatType: ChatType;
  readonly sessionKey: string;
}

type SendRule = TrunklineConfig["session"]["sendPolicy"]["rules"][number];

/**
 * Whether anything of a session may leave through a deliverer: the session's own setting, else any matching deny, else
 * any matching allow, else the default. Refused with `send_denied`.
 */
export function sendDecision(config: TrunklineConfig, subject: SendSubject): Decision {
  if (subject.override === "allow" || subject.override === "deny") {
    return verdict(subject.override, "the session's own send policy", "sendPolicy", subject.override);
  }
  const { rules, default: fallback } = config.session.sendPolicy;
  for (const action of ["deny", "allow"] as const) {
    const index = rules.findIndex((rule) => rule.action === action && matchesRule(rule, subject));
    if (index >= 0) return verdict(action, "a send rule", `session.sendPolicy.rules[${index}]`, rules[index]);
  }
  return verdict(fallback, "the default send policy", "session.sendPolicy.default", fallback);
}

function matchesRule({ match }: SendRule, subject: SendSubject): boolean {
  if (match.channel !== undefined && match.channel !== subject.channel.toLowerCase()) return false;
  if (match.chatType !== undefined && !matchesChatType(match.chatType, subject.chatType)) return false;
  return match.keyPrefix === undefined || matchesPrefix(match.keyPrefix, subject.sessionKey);
}

// A room is a group chat too; only `channel` singles rooms out.
function matchesChatType(wanted: ChatType, actual: ChatType): boolean {
  return wanted === actual || (wanted === "group" && actual === "channel");
}

function matchesPrefix(prefix: string, key: string): boolean {
  return key.startsWith(prefix) || key.replace(/^agent:[^:]*:/, "").startsWith(prefix);
}

function verdict(action: "allow" | "deny", by: string, setting: string, value: unknown): Decision {
  const trail = [{ step: "send policy", allowed: action === "allow", setting, value }];
  if (action === "allow") return allow(`${by} allows posting`, trail);
  return refuse("forbidden", "send_denied", `${by} does not allow posting to this chat`, trail);
}
