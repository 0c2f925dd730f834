import { fullMask, maskValue } from "./mask.ts";
import { privateKeyText } from "./private-key.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { namesSecret, type SecretKind, secretKind } from "./secret-key.ts";
import { isReference } from "./secret-value.ts";

/** What is done to each text of a JSON value, and how deep it is looked into. */
export interface ValueRedaction {
  /** Shortens a text after it was redacted; the default leaves it as it is. */
  readonly shorten?: (text: string) => string;
  readonly maxDepth?: number;
}

/** What takes the place of a value that is nested too deeply to be looked into. */
export const deepValueMarker = "…(too deep)…";

const defaultDepth = 100;
/** Keys inside a secret object that describe it. */
const plainKeys = new Set(["type", "kind", "name", "title", "description", "format", "scheme"]);

/**
 * Redacts every text of a JSON value, its object keys included; an object's key says whether its value is a secret, as
 * in `{"apiKey": "…"}`, `{"name": "API_KEY", "value": "…"}` and `["--token", "…"]`. The value given is left as it is.
 */
export function redactValue(
  value: unknown,
  options: ValueRedaction = {},
): { value: unknown; redacted: boolean; cut: boolean } {
  const walk: Walk = { shorten: options.shorten ?? ((text) => text), redacted: false, cut: false };
  const redacted = redactNode(walk, value, "none", options.maxDepth ?? defaultDepth);
  return { value: redacted, redacted: walk.redacted, cut: walk.cut };
}

interface Walk {
  readonly shorten: (text: string) => string;
  redacted: boolean;
  cut: boolean;
}

function redactNode(walk: Walk, value: unknown, kind: SecretKind, depth: number): unknown {
  if (typeof value === "string") return redactText(walk, value, kind);
  if (typeof value === "number" || typeof value === "bigint") return redactNumber(walk, value, kind);
  if (typeof value !== "object" || value === null) return value;
  if (depth <= 0) {
    walk.cut = true;
    return deepValueMarker;
  }
  if (Array.isArray(value)) return redactArray(walk, value, kind, depth);
  return redactObject(walk, value, kind, depth);
}

function redactText(walk: Walk, text: string, kind: SecretKind): string {
  const masked = isSecret(kind) && !isReference(text) ? maskWhole(text, kind) : redactSecrets(text).text;
  if (masked !== text) walk.redacted = true;
  const shortened = walk.shorten(masked);
  if (shortened !== masked) walk.cut = true;
  return shortened;
}

function maskWhole(text: string, kind: SecretKind): string {
  if (text === "") return text;
  if (kind === "header" || kind === "cookie") return fullMask;
  return privateKeyText(text) ?? maskValue(text);
}

function redactNumber(walk: Walk, value: number | bigint, kind: SecretKind): unknown {
  if (kind !== "password" && !(kind === "secret" && String(value).length >= 6)) return value;
  walk.redacted = true;
  return fullMask;
}

function redactArray(walk: Walk, values: readonly unknown[], kind: SecretKind, depth: number): unknown[] {
  let previous: unknown;
  return values.map((value, index) => {
    const isPairValue =
      index === 1 && values.length === 2 && typeof previous === "string" && isSecret(secretKind(previous));
    const isFlagValue =
      typeof previous === "string" && /^--[\w-]{1,60}$/.test(previous) && namesSecret(previous.slice(2));
    previous = value;
    const isNextFlag = typeof value === "string" && value.startsWith("-");
    return redactNode(walk, value, isPairValue || (isFlagValue && !isNextFlag) ? "secret" : kind, depth - 1);
  });
}

function redactObject(walk: Walk, value: object, kind: SecretKind, depth: number): object {
  const named = namedKind(value);
  const entries = Object.entries(value).map(([key, item]) => {
    const own = secretKind(key);
    const inner = isSecret(own) ? own : key === "value" && isSecret(named) ? named : plainKeys.has(key) ? "none" : kind;
    return [redactText(walk, key, "none"), redactNode(walk, item, inner, depth - 1)];
  });
  return Object.fromEntries(entries);
}

/** `{"name": "API_KEY", "value": …}`: what the name beside a value says about it. */
function namedKind(value: object): SecretKind {
  for (const field of ["name", "key", "field", "header"]) {
    const name: unknown = Reflect.get(value, field);
    if (typeof name === "string" && Object.hasOwn(value, field)) {
      const kind = secretKind(name);
      if (isSecret(kind)) return kind;
    }
  }
  return "none";
}

function isSecret(kind: SecretKind): boolean {
  return kind === "password" || kind === "secret" || kind === "header" || kind === "cookie";
}
