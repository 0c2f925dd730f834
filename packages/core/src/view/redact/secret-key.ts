/**
 * What a field's name says about its value: `password` and `secret` hide any value (`secret` keeps small numbers),
 * `header` and `cookie` are HTTP headers that hold a credential, `weak` hides only what looks like a secret,
 * `pair` counts in a URL's query or a form body only.
 */
export type SecretKind = "password" | "secret" | "header" | "cookie" | "weak" | "pair" | "none";

const longestKey = 80;
const cacheLimit = 4096;
const cache = new Map<string, SecretKind>();

/** Classifies a field's name, in camel, snake, kebab, dotted or upper case. */
export function secretKind(key: string): SecretKind {
  if (key.length > longestKey) return secretKind(key.slice(-longestKey));
  const known = cache.get(key);
  if (known !== undefined) return known;
  const kind = classify(key);
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(key, kind);
  return kind;
}

/** True for names whose value is always hidden, so that a value that is itself such a name is a reference. */
export function namesSecret(text: string): boolean {
  const kind = secretKind(text);
  return kind === "password" || kind === "secret";
}

const passwordWords = new Set("password passwords passwd passphrase passcode pwd cvc cvv mnemonic".split(" "));
const secretWords = new Set("token secret secrets credential credentials jwt pass apikey apikeys".split(" "));
const secretEndings = ["token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "credential"];
const passwordEndings = ["password", "passwd", "passphrase", "cardnumber", "securitycode"];
const keyOwners = new Set(
  (
    "api access secret private auth encryption decryption signing master account storage license deploy webhook admin " +
    "consumer shared subscription hmac aes jwt security service client app merchant rest application server " +
    "integration functions host"
  ).split(" "),
);
const pagingWords = new Set("page next continuation cursor sync eos bos pad unk stop".split(" "));
const qualifiers = new Set(
  "old new prod dev staging live base base64 b64 raw value input plain plaintext confirm confirmation hash header".split(
    " ",
  ),
);
const pairWords = new Set("key code session signature sig auth".split(" "));

const parts =
  /pass|pwd|token|secret|key|cred|auth|cookie|jwt|cvc|cvv|cardn|card.?n|security|code|session|sig|mnemonic|phrase|assertion/i;

function classify(key: string): SecretKind {
  if (!parts.test(key)) return "none";
  const words = splitWords(key);
  while (words.length > 1 && isQualifier(words.at(-1) ?? "")) words.pop();
  const last = words.at(-1) ?? "";
  const previous = words.at(-2) ?? "";
  if (last === "cookie" && (words.length === 1 || previous === "set")) return "cookie";
  if (last === "authorization") return "header";
  if (passwordWords.has(last) || passwordEndings.some((ending) => last.endsWith(ending))) return "password";
  if (isPair(previous, last, ["card", "number"], ["security", "code"], ["seed", "phrase"], ["pass", "phrase"]))
    return "password";
  if (last === "token" && pagingWords.has(previous)) return "none";
  if (secretWords.has(last) || secretEndings.some((ending) => last.endsWith(ending))) return "secret";
  if (isPair(previous, last, ["key", "material"], ["jwt", "assertion"], ["client", "assertion"], ["gitlab", "session"]))
    return "secret";
  if (last === "key" || last === "keys") return classifyKeyWord(key, words.length, previous, last);
  return words.length === 1 && pairWords.has(last) ? "pair" : isSignature(words) ? "pair" : "none";
}

function classifyKeyWord(key: string, count: number, previous: string, last: string): SecretKind {
  if (keyOwners.has(previous)) return "secret";
  if (last === "key" && key === key.toUpperCase()) return "weak";
  return last === "key" && count === 1 ? "pair" : "none";
}

function isSignature(words: readonly string[]): boolean {
  return words.length > 1 && words[0] === "x" && (words.at(-1) === "signature" || words.at(-1) === "sig");
}

function isPair(previous: string, last: string, ...pairs: readonly (readonly [string, string])[]): boolean {
  return pairs.some(([first, second]) => previous === first && last === second);
}

function isQualifier(word: string): boolean {
  return qualifiers.has(word) || /^\d+$/.test(word);
}

function splitWords(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => (/^[a-z]+\d+$/.test(word) ? word.replace(/\d+$/, "") : word))
    .filter((word) => word !== "");
}
