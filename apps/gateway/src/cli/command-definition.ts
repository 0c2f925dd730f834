import type { CommandContext } from "./command-context.ts";
import type { ExitCode } from "./exit-code.ts";

/** A flag as commander reads it, e.g. `--limit <count>`. */
export interface FlagDefinition {
  readonly flags: string;
  readonly description: string;
}

/** A command line that works when pasted, without the program's name. */
export interface ExampleDefinition {
  readonly line: string;
  readonly description: string;
}

/** What the command line gave a command. */
export interface CommandInput {
  readonly arguments: readonly (string | undefined)[];
  readonly flags: Readonly<Record<string, unknown>>;
}

/** One command: help, parsing and behaviour come from this one value. */
export interface CommandDefinition {
  /** The words that call it: `["sessions", "list"]`. */
  readonly path: readonly [string, ...string[]];
  /** Its arguments as commander reads them, e.g. `<target> <text>`. */
  readonly arguments?: string;
  readonly summary: string;
  readonly flags: readonly FlagDefinition[];
  readonly examples: readonly [ExampleDefinition, ExampleDefinition];
  readonly exitCodes: readonly ExitCode[];
  run(context: CommandContext, input: CommandInput): Promise<ExitCode>;
}

/** A word that only leads to commands below it. */
export interface CommandGroup {
  readonly path: readonly [string, ...string[]];
  readonly summary: string;
}
