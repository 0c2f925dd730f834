import type { FlagDefinition } from "./command-definition.ts";
import { CommandError } from "./command-error.ts";

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly config?: string;
  readonly url?: string;
  readonly as?: string;
  readonly json: boolean;
  readonly text: boolean;
  readonly color: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly demo: boolean;
}

export const globalFlagDefinitions: readonly FlagDefinition[] = [
  { flags: "--config <file>", description: "the configuration to use instead of ./trunkline.json5" },
  { flags: "--url <gateway>", description: "ask a running gateway (token in TRUNKLINE_TOKEN) instead of the store" },
  { flags: "--as <session key>", description: "act as this session instead of as the operator" },
  { flags: "--json", description: "print JSON, as into a pipe" },
  { flags: "--text", description: "print text, as on a terminal" },
  { flags: "--no-color", description: "print no colours" },
  { flags: "--quiet", description: "print the result only" },
  { flags: "--verbose", description: "print more, stacks of errors included" },
  { flags: "--demo", description: "use the store, configuration and agents of the demo" },
  { flags: "--version", description: "print the versions of this program, Node and the schema" },
];

/** Reads the global flags; `TRUNKLINE_CONFIG` and `TRUNKLINE_URL` stand in for the flags of their names. */
export function readGlobalFlags(
  values: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): GlobalFlags {
  const demo = values["demo"] === true;
  const config = textOf(values["config"]) ?? (demo ? undefined : textOf(environment["TRUNKLINE_CONFIG"]));
  const url = textOf(values["url"]) ?? (demo ? undefined : textOf(environment["TRUNKLINE_URL"]));
  const as = textOf(values["as"]);
  const flags: GlobalFlags = {
    ...(config === undefined ? {} : { config }),
    ...(url === undefined ? {} : { url }),
    ...(as === undefined ? {} : { as }),
    json: values["json"] === true,
    text: values["text"] === true,
    color: values["color"] !== false,
    quiet: values["quiet"] === true,
    verbose: values["verbose"] === true,
    demo,
  };
  refuseContradictions(flags);
  return flags;
}

function refuseContradictions(flags: GlobalFlags): void {
  const pairs = [
    [flags.json, "--json", flags.text, "--text"],
    [flags.quiet, "--quiet", flags.verbose, "--verbose"],
    [flags.demo, "--demo", flags.config !== undefined, "--config"],
    [flags.demo, "--demo", flags.url !== undefined, "--url"],
    [flags.url !== undefined, "--url", flags.as !== undefined, "--as"],
  ] as const;
  for (const [first, firstName, second, secondName] of pairs) {
    if (!first || !second) continue;
    const fix =
      firstName === "--url"
        ? "Leave out --as: over a gateway the token decides which session acts"
        : `Leave one of them out: ${firstName} or ${secondName}`;
    throw new CommandError("invalid_input", `${firstName} and ${secondName} exclude each other`, {
      fix,
      path: secondName,
    });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
