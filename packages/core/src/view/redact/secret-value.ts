import { namesSecret, type SecretKind } from "./secret-key.ts";

const typeWords = new Set(
  (
    "string number boolean bool int integer float double str null undefined none nil true false any unknown void object " +
    "array bytes buffer uuid date required optional yes no empty missing invalid unset set hidden default enabled disabled"
  ).split(" "),
);
const stopWords = new Set(
  (
    "or and to is in on for from with the a an flag option argument arg value if as of when then was are not must can will " +
    "may via instead only at by be so it this that which should has have"
  ).split(" "),
);
const referenceRoots =
  /^(?:process|os|self|this|config|cfg|env|req|request|args|argv|options|opts|settings|ctx|context|user|params|props|import|event|data|response|res|body|secrets|vars|var|local|module|state|input|form|values|credentials|account|client|app)\b/;

/** A longer value is no word, type or code. */
const longestChecked = 256;
const weakWindow = 64;

/** True for a value that only points at a secret: a variable, a placeholder, a template. */
export function isReference(value: string): boolean {
  if (!"$<%{".includes(value.charAt(0))) return false;
  return (
    /^\$\{[A-Za-z_][\w.]*\}$/.test(value) ||
    /^\$[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(value) ||
    /^\$?\{\{[^{}]{0,200}\}\}$/.test(value) ||
    /^<[^<>]{0,200}>$/.test(value) ||
    /^%\(?[A-Za-z_]*\)?[sd]?%?$/.test(value) ||
    /^\{[A-Za-z_]\w*\}$/.test(value)
  );
}

/** What stands around an unquoted value. */
export interface ValueContext {
  readonly kind: SecretKind;
  /** `:` or `=` with white space after it, or a flag's value after a space. */
  readonly isSpaced: boolean;
  readonly separator: ":" | "=" | " ";
  /** What follows the value, a few characters. */
  readonly rest: string;
}

/** True where an unquoted value after a secret's name is to be hidden, not a word of prose, a type or code. */
export function isHiddenValue(value: string, context: ValueContext): boolean {
  const { kind, isSpaced, separator, rest } = context;
  if (value === "" || isOpening(value.charCodeAt(0)) || isReference(value)) return false;
  if (value.length > longestChecked) return kind !== "weak" || looksRandom(value.slice(0, weakWindow));
  const lower = value.length > 15 ? value : value.toLowerCase();
  if (typeWords.has(lower)) return false;
  if (kind === "weak") return looksRandom(value);
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return kind === "password" || value.length >= 6;
  if (!isSpaced && separator === "=") return !isMemberChain(value);
  if (/^[A-Za-z]+$/.test(value)) return !isProse(value, lower, separator, rest);
  if (isMemberChain(value) || isCall(value, rest)) return false;
  return !(/^[A-Za-z_$][\w$]*$/.test(value) && !/\d/.test(value) && namesSecret(value));
}

/** `[`, `{`, `(` or `|`: a nested value, or none. */
function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b || code === 0x28 || code === 0x7c;
}

/** Long and mixed: what generated secrets look like, and words, paths and addresses do not. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || value.includes("://") || /^[./~]/.test(value)) return false;
  if (/\d/.test(value)) return /[A-Za-z]/.test(value);
  return hasManyCapitals(value) || (value.length >= 20 && !/[_.-]/.test(value));
}

/** Letters of both cases with more capitals than a name in camel case has. */
export function hasManyCapitals(value: string): boolean {
  const capitals = value.replace(/[^A-Z]/g, "").length;
  return capitals * 3 >= value.length && /[a-z]/.test(value);
}

function isProse(value: string, lower: string, separator: string, rest: string): boolean {
  if (separator !== "=" && stopWords.has(lower)) return true;
  if (namesSecret(value)) return true;
  if (value.length > 15) return false;
  if (separator === ":" && /^\s*[;,)]/.test(rest)) return true;
  return /^[.,;:!?]?[ \t]+(?:[A-Za-z]|\|)/.test(rest) && (separator !== " " || value.length < 8);
}

function isMemberChain(value: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[[^\]]*\])+[;,)]*$/.test(value) && referenceRoots.test(value);
}

function isCall(value: string, rest: string): boolean {
  return /^[A-Za-z_$][\w$.]*\(/.test(value) && (/\)[;,)\]}]*$/.test(value) || /^[ \t"'`]/.test(rest));
}
