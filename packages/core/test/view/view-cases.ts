import { readFileSync } from "node:fs";

/** A text of the case file: plain, or parts that keep secret scanners quiet until they are put together here. */
type StoredText = string | readonly (string | { readonly repeat: string; readonly times: number })[];

interface StoredCase {
  readonly name: string;
  readonly fn: "prose" | "redact" | "pipeline";
  readonly input: StoredText;
  readonly expected: StoredText;
  readonly delivery?: string;
  readonly redacted?: boolean;
  readonly truncated?: boolean;
}

export interface ViewCase extends Omit<StoredCase, "input" | "expected"> {
  readonly input: string;
  readonly expected: string;
}

/** The cases of one file in `test/fixtures`, their texts put together. */
export function loadViewCases(file: string): readonly ViewCase[] {
  const lines = readFileSync(new URL(`../fixtures/${file}`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const stored = JSON.parse(line) as StoredCase;
    return { ...stored, input: assemble(stored.input), expected: assemble(stored.expected) };
  });
}

function assemble(text: StoredText): string {
  if (typeof text === "string") return text;
  return text.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("");
}
