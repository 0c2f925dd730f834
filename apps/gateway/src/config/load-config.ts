import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseConfigWith, TrunklineError } from "@trunkline/core";
import JSON5 from "json5";
import { CommandError } from "../cli/command-error.ts";
import { createLookup } from "./environment.ts";
import { type GatewayConfig, gatewayConfigSchema } from "./gateway-config.ts";
import { findInJson5, type TextPosition } from "./json5-positions.ts";
import { substituteEnvironment } from "./substitute-environment.ts";

/** The configuration as it was found, checked. */
export interface LoadedConfig {
  readonly config: GatewayConfig;
  /** The part that `createTrunkline` takes. */
  readonly engineInput: object;
  /** Relative paths of the configuration start here, and `.trunkline/` lies here. */
  readonly directory: string;
  /** The file's name for people; absent where defaults alone hold. */
  readonly file?: string;
}

export interface LoadConfigOptions {
  /** The file asked for; without it `trunkline.json5` is used where it exists. */
  readonly file?: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const defaultFile = "trunkline.json5";

/** Reads `trunkline.json5`, or the defaults where there is none; a fault throws `invalid_config` with line and column. */
export function loadConfig({ file, directory, environment }: LoadConfigOptions): LoadedConfig {
  const path = resolve(directory, file ?? defaultFile);
  const source = readSource(path, file);
  if (source === undefined) return defaultConfig(directory);
  const fault = (message: string, fix: string, position?: TextPosition, setting?: string) =>
    new CommandError("invalid_config", message, {
      file: file ?? basename(path),
      fix,
      ...position,
      ...(setting === undefined ? {} : { path: setting }),
    });
  const { value, missing } = substituteEnvironment(
    parseSource(source, fault),
    createLookup(dirname(path), environment),
  );
  const [first] = missing;
  if (first !== undefined) {
    throw fault(
      `the variable ${first.name} is not set`,
      `Set ${first.name} in the environment or in .env, or give a default: \${${first.name}:-value}`,
      findInJson5(source, first.path),
      first.path,
    );
  }
  const checked = check(value, (error) =>
    fault(error.message, fixOf(error), findInJson5(source, error.path ?? ""), error.path),
  );
  return { ...checked, directory: dirname(path), file: file ?? basename(path) };
}

/** The configuration where there is no file. */
export function defaultConfig(directory: string): LoadedConfig {
  return { ...check({}, undefined), directory };
}

type FaultOf = (error: TrunklineError) => CommandError;

function check(input: unknown, faultOf: FaultOf | undefined): Pick<LoadedConfig, "config" | "engineInput"> {
  try {
    const config = parseConfigWith(gatewayConfigSchema, input);
    const { store: _store, gateway: _gateway, ...engineInput } = input as Record<string, unknown>;
    return { config, engineInput };
  } catch (error) {
    if (TrunklineError.isInstance(error) && faultOf !== undefined) throw faultOf(error);
    throw error;
  }
}

function fixOf({ fix }: TrunklineError): string {
  return `${fix === undefined ? "" : `${fix} `}Check the file with: npx trunkline tools`;
}

function parseSource(source: string, fault: (message: string, fix: string, position?: TextPosition) => CommandError) {
  try {
    return JSON5.parse<unknown>(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = "lineNumber" in error && "columnNumber" in error ? positionOf(error) : undefined;
    const what = error.message.replace(/^JSON5: /u, "").replace(/ at \d+:\d+$/u, "");
    throw fault(
      `is not JSON5: ${what}`,
      "Correct the text at that place; strings need quotes, entries a comma",
      position,
    );
  }
}

function positionOf(error: { readonly lineNumber: unknown; readonly columnNumber: unknown }): TextPosition {
  return { line: Number(error.lineNumber), column: Number(error.columnNumber) };
}

function readSource(path: string, asked: string | undefined): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" && asked === undefined) return undefined;
    if (typeof code !== "string") throw error;
    throw new CommandError("invalid_config", code === "ENOENT" ? "does not exist" : `cannot be read (${code})`, {
      file: asked ?? defaultFile,
      fix: "Name a readable file with --config, or leave it out to use ./trunkline.json5 or the defaults",
      cause: error,
    });
  }
}
