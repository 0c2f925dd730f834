import { TrunklineError } from "@trunkline/core";
import { padTo } from "../terminal/text-width.ts";
import { CommandError } from "./command-error.ts";

/** An error as the program reports it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly path?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

const fixes: Readonly<Record<string, string>> = {
  invalid_input: "See what is accepted with: npx trunkline --help",
  invalid_key: "See the keys in use with: npx trunkline sessions list",
  invalid_config: "Correct the setting, then check it with: npx trunkline tools",
  not_found: "Ids are compared byte for byte. See them with: npx trunkline sessions list",
  store_unavailable: "Check that the folder exists and may be written, or set store.url in trunkline.json5",
  store_busy: "Another process holds the database; run the command again",
  store_contended: "Run the command again; if it stays, stop other processes that use this store",
  store_not_migrated: "Bring the schema up to date with: npx trunkline migrate up",
  store_schema_newer: "Use the Trunkline version that wrote this database, or a newer one",
  store_too_large: "Shorten the text to 16 MiB or less",
  store_outcome_unknown: "Look before repeating it: npx trunkline sessions list",
  conflict: "Use a new key for a new message, or the same text for the same key",
  archived: "Take it out of the archive first, or send to another session",
  gateway_port_taken: "Stop that process, or choose another port: npx trunkline serve --port 4748",
  gateway_exposed: "Serve this machine only: npx trunkline serve --host 127.0.0.1",
};

/** The report of any thrown value; an error that nobody foresaw gives away no more than its kind. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CommandError) {
    const { cause: _, ...options } = error.options;
    return { code: error.code, message: error.message, ...options };
  }
  if (TrunklineError.isInstance(error)) {
    // A message that was understood and refused carries the code of a result, such as `conflict`.
    const code = "resultCode" in error ? String(error.resultCode) : error.code;
    return {
      code,
      message: error.message,
      fix: error.fix ?? fixFor(code),
      ...(error.path === undefined ? {} : { path: error.path }),
    };
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: "internal_error",
    message: `an unexpected ${kind} stopped the command`,
    fix: "This is a fault of Trunkline: run it again with --verbose and report what it prints",
  };
}

/** The usual remedy for a code. */
export function fixFor(code: string): string {
  return fixes[code] ?? "See the state of things with: npx trunkline sessions list";
}

/** The two lines of a failure: what happened and where, then what to do. */
export function failureLines(failure: Failure): readonly [string, string] {
  const { file, line, column } = failure;
  const place = file === undefined ? "" : `${[file, line, column].filter((part) => part !== undefined).join(":")}  `;
  return [`error  ${padTo(failure.code, 20)} ${place}${failure.message}`, `  fix  ${failure.fix}`];
}

/** The JSON form, one line. */
export function failureJson(failure: Failure): string {
  return JSON.stringify({ error: failure });
}
