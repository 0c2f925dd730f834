import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** Looks a variable up; `undefined` when it is not set. */
export type Lookup = (name: string) => string | undefined;

/** Variables of the process, else of `.env` beside the configuration, else the content of the file that `<NAME>_FILE` names. */
export function createLookup(directory: string, environment: Readonly<Record<string, string | undefined>>): Lookup {
  const fromFile = readIfThere(join(directory, ".env"));
  const dotEnv = fromFile === undefined ? {} : parseEnv(fromFile);
  const direct = (name: string) => environment[name] || dotEnv[name] || undefined;
  return (name) => {
    const secretFile = direct(`${name}_FILE`);
    return direct(name) ?? (secretFile === undefined ? undefined : readIfThere(secretFile)?.trim());
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
