import { nearestName } from "@trunkline/core";
import { Command, CommanderError } from "commander";
import type { CommandDefinition, CommandGroup, CommandInput } from "./command-definition.ts";
import { CommandError } from "./command-error.ts";
import { globalFlagDefinitions } from "./global-flags.ts";
import { commandHelp, groupHelp } from "./help-text.ts";

/** What a command line asks for. */
export type ParsedLine =
  | { readonly kind: "run"; readonly command: CommandDefinition; readonly input: CommandInput }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version"; readonly flags: Readonly<Record<string, unknown>> };

/** Reads a command line; wrong usage throws `CommandError` `invalid_input` with the nearest known word. */
export async function parseLine(
  argv: readonly string[],
  commands: readonly CommandDefinition[],
  groups: readonly CommandGroup[],
): Promise<ParsedLine> {
  const found: { line?: ParsedLine } = {};
  const report = (line: ParsedLine) => {
    found.line = line;
  };
  const program = prepare(new Command("trunkline"), undefined, commands, groups, report);
  for (const { flags, description } of globalFlagDefinitions) program.option(flags, description);
  for (const group of groups) prepare(program.command(group.path.join(" ")), group, commands, groups, report);
  for (const command of commands) addCommand(parentOf(program, command), command, commands, report);
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError) && !(error instanceof ShownHelp)) throw error;
  }
  if (program.opts()["version"] === true) return { kind: "version", flags: program.opts() };
  return found.line ?? { kind: "help", text: groupHelp(undefined, commands, groups) };
}

/** Unwinds commander once help is known; never leaves this file. */
class ShownHelp extends Error {}

type Report = (line: ParsedLine) => void;

function addCommand(
  parent: Command,
  definition: CommandDefinition,
  commands: readonly CommandDefinition[],
  report: Report,
): void {
  const command = parent.command(definition.path.at(-1) ?? "");
  if (definition.arguments !== undefined) command.arguments(definition.arguments);
  for (const { flags, description } of definition.flags) command.option(flags, description);
  quieten(command, () => commandHelp(definition), wordsFor(definition.path, commands), report);
  command.action(() => {
    const input = { arguments: command.processedArgs, flags: command.optsWithGlobals() };
    report({ kind: "run", command: definition, input });
  });
}

function prepare(
  command: Command,
  group: CommandGroup | undefined,
  commands: readonly CommandDefinition[],
  groups: readonly CommandGroup[],
  report: Report,
): Command {
  quieten(command, () => groupHelp(group, commands, groups), wordsFor(group?.path ?? [], commands), report);
  return command;
}

function quieten(command: Command, help: () => string, words: readonly string[], report: Report): void {
  const name = nameOf(command);
  command
    .helpCommand(false)
    .helpOption("-h, --help", "show this help")
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined })
    .exitOverride((error) => {
      if (error.code === "commander.helpDisplayed" || error.code === "commander.help") {
        report({ kind: "help", text: help() });
        throw new ShownHelp();
      }
      throw usageError(error, name(), command, words);
    });
}

function usageError(error: CommanderError, name: string, command: Command, words: readonly string[]): CommandError {
  const typed = /'([^']*)'/u.exec(error.message)?.[1] ?? "";
  const help = `npx trunkline ${name === "" ? "" : `${name} `}--help`;
  if (error.code === "commander.unknownCommand") {
    const nearest = nearestName(typed, words);
    const meant = ["npx trunkline", name, nearest].filter(Boolean).join(" ");
    return new CommandError("invalid_input", `there is no command "${[name, typed].filter(Boolean).join(" ")}"`, {
      fix: nearest === undefined ? `See all commands with: ${help}` : `Did you mean: ${meant}`,
    });
  }
  if (error.code === "commander.unknownOption") {
    const nearest = nearestName(typed, flagNames(command));
    const meant = nearest === undefined ? "" : `Did you mean ${nearest}? `;
    return new CommandError("invalid_input", `${name || "trunkline"} has no flag ${typed}`, {
      fix: `${meant}See its flags with: ${help}`,
      path: typed,
    });
  }
  const messages: Readonly<Record<string, string>> = {
    "commander.missingArgument": `${name} needs <${typed}>`,
    "commander.optionMissingArgument": `${typed} needs a value`,
    "commander.excessArguments": `${name} was given too many arguments; quote texts that hold spaces`,
  };
  return new CommandError("invalid_input", messages[error.code] ?? error.message.replace(/^error: /u, ""), {
    fix: `See how it is called with: ${help}`,
  });
}

function flagNames(command: Command): readonly string[] {
  const own = command.options.flatMap(({ long }) => long ?? []);
  return command.parent === null ? [...own, "--help"] : [...own, ...flagNames(command.parent)];
}

function wordsFor(path: readonly string[], commands: readonly CommandDefinition[]): readonly string[] {
  const below = commands.filter((command) => path.every((word, index) => command.path[index] === word));
  return [...new Set(below.flatMap((command) => command.path[path.length] ?? []))];
}

function parentOf(program: Command, { path }: CommandDefinition): Command {
  const [word, ...rest] = path;
  return rest.length === 0 ? program : (program.commands.find((command) => command.name() === word) ?? program);
}

function nameOf(command: Command): () => string {
  return () => {
    const words: string[] = [];
    for (let current: Command | null = command; current?.parent; current = current.parent)
      words.unshift(current.name());
    return words.join(" ");
  };
}
