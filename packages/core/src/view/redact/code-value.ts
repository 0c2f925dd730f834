import { namesSecret } from "./secret-key.ts";

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
const codeWords = new Set(
  "await new typeof yield function async lambda not if match case self this the a an".split(" "),
);
const roots =
  /^(?:process|os|self|this|config|cfg|env|req|request|args|argv|options|opts|settings|ctx|context|user|params|props|import|event|data|response|res|body|secrets|vars|var|local|module|state|input|form|values|credentials|account|client|app)\b/;

/** True for the name of a type, or a word for a value that is none. */
export function isTypeWord(value: string): boolean {
  return value.length <= 16 && typeWords.has(value.toLowerCase());
}

/** Code that gives a value: a member, an index, a call, a comment. `isStrict` where a secret may look like it too. */
export function isCodeExpression(value: string, isStrict: boolean, isClosed: boolean): boolean {
  if (value.startsWith("/*") || value.startsWith("//")) return true;
  const found = /^[A-Za-z_$][\w$]*(?:\??\.#?[A-Za-z_$][\w$]*)*/.exec(value);
  if (found === null) return false;
  const path = found[0];
  const next = value.charAt(path.length);
  if (next === "(") return !isStrict || isClosed;
  if (next === "[") return !isStrict || roots.test(path);
  if (!path.includes(".") || /^[^)\]};:,.?!]/.test(value.slice(path.length))) return false;
  return roots.test(path) || (!isStrict && !/\d/.test(path)) || namesSecret(path.slice(path.lastIndexOf(".") + 1));
}

/** Whether a word after a `:` or a flag goes on as prose, or as code does after a type's or a variable's name. */
export function isProseWord(word: string, text: string, end: number): boolean {
  if (stopWords.has(word.toLowerCase())) return true;
  const rest = text.slice(end, end + 16);
  return (
    word.length <= 15 &&
    (/^[;,)]/.test(rest) || /^[.,;:!?]?[ \t]+[A-Za-z0-9|&=?<{[(`'"]/.test(rest) || /^[<[({]/.test(rest))
  );
}

/** Whether a word after `=` is a keyword, or the start of an expression. */
export function isCodeWord(word: string, text: string, end: number): boolean {
  if (codeWords.has(word.toLowerCase())) return true;
  return /^[ \t]*(?:[;,)?|&<>=+*/!]|(?:or|and|if|else|in|as|is)\b)/.test(text.slice(end, end + 16));
}

/** Whether the name at `keyStart` is declared as a variable, so that code follows its `=` or `:`. */
export function isDeclared(text: string, keyStart: number): boolean {
  const before = text.slice(Math.max(0, keyStart - 12), keyStart);
  return /\b(?:const|let|var|val|final|readonly|public|private|protected|static|declare)\s+$/.test(before);
}

/** Whether the name at `keyStart` is a parameter, or belongs to an object. */
export function isMember(text: string, keyStart: number): boolean {
  if (/[({,]\s*$/.test(text.slice(Math.max(0, keyStart - 4), keyStart))) return true;
  return /^(?:this|self|exports|module|options|context|state)\b/.test(text.slice(keyStart, keyStart + 10));
}
