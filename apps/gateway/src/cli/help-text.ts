import { formatColumns } from "../terminal/columns.ts";
import { wrapTo } from "../terminal/text-width.ts";
import type { CommandDefinition, CommandGroup, ExampleDefinition } from "./command-definition.ts";
import { globalFlagDefinitions } from "./global-flags.ts";

const width = 100;
const exitCodeWords: Readonly<Record<number, string>> = {
  0: "done",
  1: "failed",
  2: "wrong usage, input or config",
  3: "not found",
  4: "refused by policy",
  5: "wait ran out, work goes on",
  6: "problems found",
  7: "store, gateway or port unavailable",
  130: "interrupted",
};

/** The help of one command: at most 24 lines. */
export function commandHelp(command: CommandDefinition): string {
  const usage = ["trunkline", ...command.path, command.arguments ?? "", command.flags.length > 0 ? "[flags]" : ""];
  return [
    `Usage  ${usage.filter(Boolean).join(" ")}`,
    "",
    command.summary,
    "",
    ...exampleLines(command.examples),
    ...(command.flags.length === 0 ? [] : ["", "Flags"]),
    ...command.flags.map(({ flags, description }) => `  ${flags.padEnd(flagWidth(command))}  ${description}`),
    "",
    ...footer(command.exitCodes),
  ].join("\n");
}

/** The help of the program, or of a word that leads to several commands: at most 24 lines. */
export function groupHelp(
  group: CommandGroup | undefined,
  commands: readonly CommandDefinition[],
  groups: readonly CommandGroup[],
): string {
  const depth = group?.path.length ?? 0;
  const below = commands.filter(({ path }) => group?.path.every((word, index) => path[index] === word) ?? true);
  const usage = ["trunkline", ...(group?.path ?? []), "<command> [flags]"].join(" ");
  const inner = groups.filter(({ path }) => path.length > depth);
  const rows = below.map((command) => rowOf(command, depth, inner, commands));
  const lines = formatColumns([{ title: "" }, { title: "", flexible: true }], uniqueRows(rows), { width, cut: "..." });
  const examples = below.slice(0, 2).map(({ examples: [first] }) => first);
  return [
    `Usage  ${usage}`,
    "",
    group?.summary ?? "Session tools for AI agents: list, read, message and spawn sessions",
    "",
    ...lines.slice(1),
    "",
    ...exampleLines(examples),
    "",
    ...footer([0, 1, 2, 3, 4, 5, 6, 7, 130]),
  ].join("\n");
}

type Row = readonly [name: string, summary: string];

/** The row of a command; commands behind a word of their own share the row of that word. */
function rowOf(
  { path, arguments: taken, summary }: CommandDefinition,
  depth: number,
  groups: readonly CommandGroup[],
  commands: readonly CommandDefinition[],
): Row {
  const group = groups.find((candidate) => candidate.path.every((word, index) => path[index] === word));
  if (group === undefined) {
    return [`  ${path.slice(depth).join(" ")}${taken === undefined ? "" : ` ${taken}`}`, summary];
  }
  const words = commands.filter((command) => command.path[0] === group.path[0]).map((command) => command.path.at(-1));
  return [`  ${group.path.join(" ")} ${words.join("|")}`, group.summary];
}

function uniqueRows(rows: readonly Row[]): readonly Row[] {
  return rows.filter(([name], index) => rows.findIndex((row) => row[0] === name) === index);
}

function exampleLines(examples: readonly ExampleDefinition[]): readonly string[] {
  const rows = examples.map(({ line, description }) => [`  npx trunkline ${line}`, description]);
  return formatColumns([{ title: "" }, { title: "", flexible: true }], rows, { width, cut: "..." }).slice(1);
}

function footer(exitCodes: readonly number[]): readonly string[] {
  const globals = [...globalFlagDefinitions.map(({ flags }) => flags.replaceAll(" ", "\u00a0")), "--help"].join(" ");
  const exits = exitCodes.map((code) => `${code} ${exitCodeWords[code] ?? ""}`.replaceAll(" ", "\u00a0")).join(", ");
  return [
    ...labelled("Global", globals),
    ...labelled("Exit", exits),
    ...labelled("Docs", "README of @trunkline/gateway"),
  ];
}

function labelled(label: string, text: string): readonly string[] {
  return wrapTo(text, width - 8).map(
    (line, index) => `${(index === 0 ? label : "").padEnd(7)} ${line.replaceAll("\u00a0", " ")}`,
  );
}

function flagWidth({ flags }: CommandDefinition): number {
  return Math.max(...flags.map((flag) => flag.flags.length));
}
