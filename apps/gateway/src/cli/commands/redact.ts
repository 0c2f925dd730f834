import { redactSecrets, sanitizeAssistantText } from "@trunkline/core";
import { printable } from "../../terminal/printable.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { exitCodes } from "../exit-code.ts";
import { isSet } from "../read-flags.ts";
import { readStdin } from "../read-stdin.ts";

/** What cleaning changed, without a word of what was there. */
interface RedactReport {
  /** UTF-16 units of reasoning, tool calls and control tokens that went. */
  readonly removedCharacters: number;
  /** Lines of the cleaned text that hold a mask, counted from 1. */
  readonly maskedLines: readonly number[];
}

/** `redact`. */
export const redactCommand: CommandDefinition = {
  path: ["redact"],
  summary: "Clean stdin as a reader of a transcript would see it",
  flags: [{ flags: "--report", description: "also say how much went and which lines hold a mask" }],
  examples: [
    { line: "redact --text < notes.txt", description: "the cleaned text; a pipe gets JSON otherwise" },
    { line: "redact --report < notes.txt", description: "and what was done to it" },
  ],
  exitCodes: [0, 2],
  async run(context, { flags }) {
    const { stdin, stdout } = context.surroundings;
    if ("isTTY" in stdin && stdin.isTTY === true) context.note("reading from the terminal; Ctrl-D ends the text");
    const given = await readStdin(stdin);
    const sanitized = sanitizeAssistantText(given);
    const { text, redacted } = redactSecrets(sanitized);
    const report = isSet(flags, "report") ? reportOf(given, sanitized, text) : undefined;
    context.result({ text, redacted, ...(report === undefined ? {} : { report }) }, () => {
      const shown = stdout.isTTY === true ? printable(text) : text;
      return shown === "" ? [] : [shown.replace(/\n$/u, "")];
    });
    if (report !== undefined && !context.json) for (const line of reportLines(report)) context.note(line);
    return exitCodes.done;
  },
};

function reportOf(given: string, sanitized: string, text: string): RedactReport {
  const unchanged = new Map<string, number>();
  for (const line of sanitized.split("\n")) unchanged.set(line, (unchanged.get(line) ?? 0) + 1);
  const maskedLines = text.split("\n").flatMap((line, index) => {
    const left = unchanged.get(line) ?? 0;
    unchanged.set(line, left - 1);
    return left > 0 ? [] : [index + 1];
  });
  return { removedCharacters: given.length - sanitized.length, maskedLines };
}

function reportLines({ removedCharacters, maskedLines }: RedactReport): readonly string[] {
  return [
    `removed  ${removedCharacters} characters`,
    `masked   ${maskedLines.length === 0 ? "nothing" : `line ${maskedLines.join(", ")}`}`,
  ];
}
