import type { CommandContext } from "./command-context.ts";
import { CommandError } from "./command-error.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { refusalOf, reportToolResult } from "./report-result.ts";
import { openReader } from "./session-reader.ts";

/** How a tool's result is printed. */
export interface ResultForm {
  /** The operator's JSON; a session's own call prints the tool's result unchanged. */
  value(result: unknown): unknown;
  lines(result: unknown): readonly string[];
}

/** Calls a reading tool about one session and prints what it gives. */
export async function readAbout(
  context: CommandContext,
  typed: string,
  tool: string,
  args: object,
  form: ResultForm,
): Promise<ExitCode> {
  const reader = await openReader(context);
  try {
    const result = await reader.callAbout(typed, tool, args);
    if (reader.asSession) return reportToolResult(context, result, form.lines);
    const refusal = refusalOf(result);
    if (refusal !== undefined) {
      throw new CommandError("not_found", `no session matches "${typed}"`, {
        fix: "Ids are compared byte for byte. See them with: npx trunkline sessions list",
      });
    }
    context.result(form.value(result), () => form.lines(result));
    return exitCodes.done;
  } finally {
    await reader.close();
  }
}
