import { oneLine } from "../terminal/printable.ts";
import { writeLine } from "../terminal/surroundings.ts";
import type { CommandContext } from "./command-context.ts";
import { type ExitCode, exitCodeForResult } from "./exit-code.ts";
import { failureLines, fixFor } from "./failure.ts";

/** Prints a tool's result: unchanged as JSON; as text its lines, or the two lines of a refusal on stderr. */
export function reportToolResult(
  context: CommandContext,
  result: unknown,
  lines: (result: unknown) => readonly string[],
): ExitCode {
  const refusal = refusalOf(result);
  if (context.json || refusal === undefined) {
    context.result(result, () => lines(result));
  } else {
    const failure = { ...refusal, fix: fixFor(refusal.code) };
    for (const line of failureLines(failure)) writeLine(context.surroundings.stderr, line);
  }
  return exitCodeForResult(result);
}

/** The code and text of a result that is no success. */
export function refusalOf(result: unknown): { readonly code: string; readonly message: string } | undefined {
  if (typeof result !== "object" || result === null || !("status" in result) || !("error" in result)) return undefined;
  const code = "code" in result ? String(result.code) : String(result.status);
  return { code, message: oneLine(String(result.error)) };
}
