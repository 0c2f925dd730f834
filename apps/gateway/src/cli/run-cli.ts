import { type Surroundings, writeLine } from "../terminal/surroundings.ts";
import { createCommandContext } from "./command-context.ts";
import { commandGroups, commands } from "./commands.ts";
import { type ExitCode, exitCodeFor, exitCodes } from "./exit-code.ts";
import { failureJson, failureLines, toFailure } from "./failure.ts";
import { readGlobalFlags } from "./global-flags.ts";
import { printVersions } from "./print-versions.ts";
import { parseLine } from "./program.ts";

/** Runs one command line and resolves to its exit code; prints every failure in two lines, or as JSON. */
export async function runCli(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  try {
    const line = await parseLine(argv, commands, commandGroups);
    if (line.kind === "help") {
      writeLine(surroundings.stdout, line.text);
      return exitCodes.done;
    }
    const flags = line.kind === "run" ? line.input.flags : line.flags;
    const context = createCommandContext(surroundings, readGlobalFlags(flags, surroundings.environment));
    if (line.kind === "version") return await printVersions(context);
    return await line.command.run(context, line.input);
  } catch (error) {
    return reportFailure(error, argv, surroundings);
  }
}

function reportFailure(error: unknown, argv: readonly string[], { stdout, stderr }: Surroundings): ExitCode {
  const failure = toFailure(error);
  // The flags may be what is wrong, so they are looked for as typed.
  const json = argv.includes("--json") || (!argv.includes("--text") && stdout.isTTY !== true);
  if (json) writeLine(stderr, failureJson(failure));
  else for (const line of failureLines(failure)) writeLine(stderr, line);
  if (argv.includes("--verbose")) writeLine(stderr, stackOf(error));
  return exitCodeFor(failure.code);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
