import { isAbsolute, join, relative } from "node:path";
import { CommandError } from "../cli/command-error.ts";
import type { LoadedConfig } from "./load-config.ts";

/** The SQLite file that a configuration names, as an absolute path; another database is `invalid_config`. */
export function databasePath({ config, directory, file }: LoadedConfig): string {
  const path = /^(?:sqlite|file):(?:\/\/)?(.+)$/u.exec(config.store.url)?.[1];
  if (path === undefined) {
    throw new CommandError("invalid_config", "store.url names a database that this gateway cannot open", {
      ...(file === undefined ? {} : { file }),
      path: "store.url",
      fix: 'Name a SQLite file, e.g. "sqlite:.trunkline/trunkline.db"',
    });
  }
  return isAbsolute(path) ? path : join(directory, path);
}

/** A path as people read it: relative where that is shorter. */
export function displayPath(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short !== "" && short.length < path.length && !short.startsWith("..") ? short : path;
}
