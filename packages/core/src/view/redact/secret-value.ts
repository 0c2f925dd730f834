import { isCodeExpression, isCodeWord, isDeclared, isMember, isProseWord, isTypeWord } from "./code-value.ts";
import { countClasses, hasManyCapitals, looksRandom } from "./random-text.ts";
import { namesSecret, type SecretKind } from "./secret-key.ts";

/** A longer value is no word, type or code. */
const longestChecked = 256;
const weakWindow = 64;
const shortestToken = 8;

/** Where an unquoted value stands. */
export interface ValueContext {
  readonly kind: SecretKind;
  readonly name: string;
  /** `:` or `=` with white space after it, or a flag's value after a space. */
  readonly isSpaced: boolean;
  readonly separator: ":" | "=" | " ";
  /** `==` and the like. */
  readonly isComparison: boolean;
  readonly text: string;
  /** Where the field's name starts in `text`. */
  readonly keyStart: number;
  /** The end of the value in `text`. */
  readonly end: number;
}

/** True for a value that only points at a secret: a variable, a placeholder, a template. */
export function isReference(value: string): boolean {
  if (!"$<%{".includes(value.charAt(0))) return false;
  return (
    /^\$\{[A-Za-z_][\w.]*\}?$/.test(value) ||
    /^\$[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(value) ||
    /^\$?\{\{[^{}]{0,200}\}\}$/.test(value) ||
    /^<[^<>]{0,200}>$/.test(value) ||
    /^%\(?[A-Za-z_]*\)?[sd]?%?$/.test(value) ||
    /^\{[A-Za-z_]\w*\}$/.test(value)
  );
}

/** True where an unquoted value after a secret's name is to be hidden, not a word of prose, a type or code. */
export function isHiddenValue(value: string, context: ValueContext): boolean {
  const { kind, isSpaced, separator } = context;
  if (value === "" || isOpening(value.charCodeAt(0)) || isReference(value)) return false;
  if (value.length > longestChecked) return kind !== "weak" || looksRandom(value.slice(0, weakWindow));
  if (kind === "weak" || context.isComparison)
    return looksRandom(value) && (/\d/.test(value) || hasManyCapitals(value));
  const { digits, capitals, small } = countClasses(value);
  const isExplicit = !isSpaced && separator === "=";
  if (digits + capitals + small === 0) return isExplicit && kind === "password" && /[^ -~…•]/.test(value);
  const word = withoutTail(value);
  if (capitals + small === word.length) return !isTypeWord(word) && (isExplicit || isHiddenWord(word, value, context));
  if (digits > 0 && /^-?\d+(?:\.\d+)?$/.test(value)) return isHiddenNumber(value, kind, isExplicit);
  if (isAddress(value)) return false;
  const isClosed = context.text.charCodeAt(context.end) === 0x29;
  if (isCodeExpression(value, isExplicit, isClosed)) return false;
  if (isExplicit) return true;
  if (digits === 0 && isIdentifier(word)) return isHiddenWord(word, value, context);
  if (digits > 0 && isIdentifier(word) && namesSecret(word)) return false;
  if (kind !== "password" && value.length < shortestToken) return false;
  if (looksRandom(value)) return true;
  const { text, keyStart } = context;
  return !isDeclared(text, keyStart) && ((kind === "password" && digits > 0) || !isMember(text, keyStart));
}

function isHiddenNumber(value: string, kind: SecretKind, isExplicit: boolean): boolean {
  if (kind === "password") return isExplicit || value.length >= 3;
  return value.length >= 6;
}

/** A single word without digits: hidden where neither prose, code nor a type's name can stand. */
function isHiddenWord(name: string, value: string, context: ValueContext): boolean {
  const { kind, isSpaced, separator, text, keyStart, end } = context;
  if (separator === ":" && !isSpaced && kind !== "password") return false;
  if (separator === " ") return !isProseWord(name, text, end) || name.length >= 8;
  if (hasManyCapitals(name) && name.length >= 12) return true;
  if (kind === "secret" && name.length < 16 && isPlainName(context.name)) return false;
  if (namesSecret(name) || /[a-z][A-Z]|_|\$/.test(name)) return false;
  if (separator === ":") return value === name && !isProseWord(name, text, end) && !isInCode(text, keyStart);
  return !isCodeWord(name, text, end) && !isInCode(text, keyStart);
}

/** A name such as `token`, beside which a word is code or prose; beside `API_KEY` or `secret` it is not. */
function isPlainName(name: string): boolean {
  return name !== name.toUpperCase() && !/secret$/i.test(name);
}

/** A value without the punctuation behind it. */
function withoutTail(value: string): string {
  let end = value.length;
  while (end > 0 && ")]};:,.?!".includes(value.charAt(end - 1))) end -= 1;
  return end === value.length ? value : value.slice(0, end);
}

function isInCode(text: string, keyStart: number): boolean {
  return isDeclared(text, keyStart) || isMember(text, keyStart);
}

/** True where a quoted value after a secret's name is to be hidden; `isComparison` for `==` and the like. */
export function isHiddenText(value: string, kind: SecretKind, name: string, isComparison: boolean): boolean {
  if (value === "" || isReference(value)) return false;
  if (value.length > longestChecked) return true;
  if (/^(?:\{.*\}|\[.*\])$/.test(value)) return false;
  if (value.includes("${") && !holdsLiteral(value)) return false;
  if (isComparison || kind === "weak") return looksRandom(value) || (kind === "password" && /\d/.test(value));
  if (kind === "password") return !(name.toLowerCase().endsWith("pwd") && /^(?:[/~]|[A-Za-z]:\\)/.test(value));
  if (kind === "cookie" || kind === "header") return !/^[A-Za-z-]+$/.test(value);
  if (kind !== "secret") return true;
  if (value.length < 4 || !/[A-Za-z0-9]/.test(value) || isAddress(value)) return false;
  if (/^pass$/i.test(name)) return !/^(?:pass|fail|ok|skip|error|warn|valid|invalid)(?:ed|ped|ing)?$/i.test(value);
  if (/credentials$/i.test(name)) return !/^[A-Za-z-]+$/.test(value);
  return /secret$/i.test(name) || !isSentence(value);
}

/** Four words and more without a digit: a description, not a token. */
function isSentence(value: string): boolean {
  return !/\d/.test(value) && value.trim().split(/\s+/).length > 3;
}

/** Whether a template has, beside what it fills in, enough text of its own to be a secret. */
function holdsLiteral(value: string): boolean {
  return value.replace(/\$\{[^}]*(?:\}|$)/g, "").replace(/[^A-Za-z0-9]/g, "").length >= shortestToken;
}

/** A URL; the secrets in it are found by themselves. */
function isAddress(value: string): boolean {
  return value.includes("://") && /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value);
}

function isIdentifier(value: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(value);
}

/** `[`, `{`, `(` or `|`: a nested value, or none. */
function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b || code === 0x28 || code === 0x7c;
}
